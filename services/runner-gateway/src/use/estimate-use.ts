import type { CountedUsage, RelayedContent, RelayedRequest } from '@attache/model-relay';

// Estimates of what no provider counted are made from bytes, and rather too high: a tenant's limit holds for providers and programs that do not count, and a
// program gains nothing by leaving before the figures come.

/** Bytes of JSON and of events: English has four bytes a token without these. */
const BYTES_PER_TOKEN = 3;
/** The most that a provider counts for one. */
const TOKENS_PER_PICTURE = 10_000;
/** Speech at its strongest compression. */
const AUDIO_BYTES_PER_TOKEN = 16;
/** A page of text may take a kilobyte, and is counted as text and as a picture. */
const TOKENS_PER_DOCUMENT_BYTE = 2;

export type EstimatedRequest = Pick<RelayedRequest, 'requestBytes' | 'responseBytes' | 'content' | 'usage' | 'answer'>;

/** The tokens of a request of which its provider has not said all. A request that it refused has used none. */
export function estimateUse({ requestBytes, responseBytes, content, usage, answer }: EstimatedRequest): CountedUsage {
  if (answer?.refusal !== undefined) return usage ?? { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  const outputTokens = Math.ceil(responseBytes / BYTES_PER_TOKEN);
  return {
    inputTokens: usage?.inputTokens || estimateInput(requestBytes, content?.blocks ?? []),
    cachedInputTokens: usage?.cachedInputTokens ?? 0,
    outputTokens: Math.max(usage?.outputTokens ?? 0, outputTokens),
  };
}

function estimateInput(requestBytes: number, blocks: RelayedContent['blocks']): number {
  let textBytes = requestBytes;
  let tokens = 0;
  for (const block of blocks) {
    if (block.kind !== 'media' || block.isReplaced === true) continue;
    textBytes -= block.range.end - block.range.start;
    tokens += estimateMedia(block);
  }
  return tokens + Math.ceil(Math.max(0, textBytes) / BYTES_PER_TOKEN);
}

function estimateMedia({ mimeType = '', sizeBytes }: { mimeType?: string | undefined; sizeBytes: number }): number {
  if (/^image\//i.test(mimeType)) return TOKENS_PER_PICTURE;
  if (/^audio\//i.test(mimeType)) return Math.ceil(sizeBytes / AUDIO_BYTES_PER_TOKEN);
  return sizeBytes * TOKENS_PER_DOCUMENT_BYTE;
}
