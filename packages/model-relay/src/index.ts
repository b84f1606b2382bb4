export { defaultLimits, type RelayLimits } from './relay-limits.ts';
export * from './relay-types.ts';
export { startModelRelay } from './start-model-relay.ts';
