export * from './doorbells.ts';
export * from './event-bus.ts';
export * from './outbox/settle.ts';
export { startWakeLoop, type WakeLoop } from './outbox/wake-loop.ts';
export * from './shared-counts.ts';
