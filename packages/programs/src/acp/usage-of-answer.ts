import { type JsonRecord, recordOf } from '@attache/agent-process/messages/json-values';
import type { Usage } from '@attache/contracts';

/** Counts of a turn in the answer to its prompt: as the protocol names them, else as Gemini CLI does (seen with 0.61.0). */
export function usageOfAnswer(answer: unknown): Usage | undefined {
  const { usage, _meta } = recordOf(answer);
  return countsOf(recordOf(usage)) ?? countsOf(quotaOf(recordOf(_meta)));
}

function quotaOf({ quota }: JsonRecord): JsonRecord {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = recordOf(recordOf(quota).token_count);
  return { inputTokens, outputTokens };
}

function countsOf({ inputTokens, outputTokens, totalTokens }: JsonRecord): Usage | undefined {
  const counts = Object.entries({ inputTokens, outputTokens, totalTokens }).filter(
    ([, count]) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}
