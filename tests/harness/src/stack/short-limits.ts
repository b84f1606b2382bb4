import type { StackLimits } from '@attache/standalone';

/**
 * Limits of stacks whose tests wait for one. A stack gets those alone for which it is watched: what else is done to it is not to meet one
 * on a slow machine. The real ones are met by the project `long`.
 */
export const shortLimits = {
  heartbeatMs: 1_000,
  inspectionMs: 500,
  headersMs: 3_000,
  slowBodyMs: 4_500,
  refusedBodyMs: 4_500,
  drainMs: 1_000,
  aloneMs: 6_000,
  programMs: 3_000,
  media: { processorTimeMs: 1_500 },
} as const satisfies StackLimits;
