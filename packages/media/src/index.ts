export { describeRecipe, OPTIMISER_VERSION } from './describe-recipe.ts';
export type { InspectJob, MediaPool, VariantJob } from './media-pool.ts';
export { createMediaPool } from './media-pool.ts';
export type { MediaPoolOptions } from './media-pool-options.ts';
export { defaultMediaPoolOptions } from './media-pool-options.ts';
export type { InspectOutcome, VariantOutcome } from './outcome.ts';
