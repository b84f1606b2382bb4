export * from './content/content-types.ts';
export { digestText } from './content/digest-text.ts';
export type { RelayLimits } from './relay-limits.ts';
export * from './relay-types.ts';
export { startModelRelay } from './start-model-relay.ts';
