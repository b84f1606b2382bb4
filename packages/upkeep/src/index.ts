export { type CollectOptions, collectBlobs } from './collect-blobs.ts';
export type { CollectDeps, CollectedBlobs } from './collected-blobs.ts';
export { startUpkeep, type Upkeep, type UpkeepDeps } from './start-upkeep.ts';
export { sweepNow } from './sweep-now.ts';
