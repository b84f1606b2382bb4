export * from './doorbells.ts';
export * from './event-bus.ts';
export * from './outbox/settle.ts';
export { createWakeLoop, type WakeLoop } from './outbox/wake-loop.ts';
export * from './shared-counts.ts';
