export * from './doorbells.ts';
export * from './event-bus.ts';
export * from './settle.ts';
