export { describeRecipe } from './describe-recipe.ts';
export type { MediaSandbox } from './pool/exchange/media-sandbox.ts';
export type { InspectJob, MediaPool, VariantJob } from './pool/media-pool.ts';
export { createMediaPool } from './pool/media-pool.ts';
export type { MediaPoolOptions } from './pool/media-pool-options.ts';
export { defaultMediaPoolOptions } from './pool/media-pool-options.ts';
export type { InspectOutcome, VariantOutcome } from './pool/outcome.ts';
