export * from './child-environment.ts';
export * from './child-marker.ts';
export * from './driver.ts';
export type { EmbeddedBytes } from './frames/create-frame.ts';
export * from './resolve-program.ts';
export * from './spawn-agent.ts';
export * from './sweep-orphans.ts';
export * from './terminate-agent.ts';
