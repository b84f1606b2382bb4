export * from './doorbells.ts';
export * from './event-bus.ts';
export * from './settle.ts';
export { startWakeLoop, type WakeLoop } from './wake-loop.ts';
