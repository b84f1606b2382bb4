import type { ModelUse } from '@attache/database';

const keyOfUse = ({ day, sessionId, agentId, provider, model }: ModelUse): string =>
  JSON.stringify([day, sessionId, agentId, provider, model]);

export const countTokens = ({ inputTokens, outputTokens }: ModelUse): number => inputTokens + outputTokens;

/** Adds a use to those that are kept, one for each day, agent and model. */
export function addCounts(kept: Map<string, ModelUse>, use: ModelUse): void {
  const key = keyOfUse(use);
  const sum = kept.get(key);
  kept.set(
    key,
    sum === undefined
      ? use
      : {
          ...sum,
          requests: sum.requests + use.requests,
          uncountedRequests: sum.uncountedRequests + use.uncountedRequests,
          inputTokens: sum.inputTokens + use.inputTokens,
          cachedInputTokens: sum.cachedInputTokens + use.cachedInputTokens,
          outputTokens: sum.outputTokens + use.outputTokens,
        },
  );
}
