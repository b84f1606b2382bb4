import type { MediaBlock, RelayedContent } from '@attache/model-relay';
import { expect, it } from 'vitest';
import { type EstimatedRequest, estimateUse } from './estimate-use.ts';

const answer = { status: 200, hasBegun: true, refusal: undefined };
const request: EstimatedRequest = {
  requestBytes: 300,
  responseBytes: 30,
  content: undefined,
  usage: undefined,
  answer,
};

const contentOf = (...media: Partial<MediaBlock>[]): RelayedContent => ({
  ...{ hasTools: false, hasAnswerForm: false, hasErrandText: false },
  blocks: media.map((each) => ({
    ...{ kind: 'media', place: 'user', key: '', path: [0], range: { start: 0, end: 90 }, isString: false },
    ...{ isListed: true, cacheControl: undefined, isReadable: true, sha256: '', sizeBytes: 60, mimeType: undefined },
    ...{ width: undefined, height: undefined },
    ...each,
  })),
});

it('a request that no provider counted is estimated from its bytes', () => {
  expect(estimateUse(request)).toEqual({ inputTokens: 100, cachedInputTokens: 0, outputTokens: 10 });
  expect(estimateUse({ ...request, answer: undefined, responseBytes: 0 })).toMatchObject({ inputTokens: 100 });
});

it('its files count as what they are, and not as base64', () => {
  const tokensOf = (mimeType: string | undefined) =>
    estimateUse({ ...request, content: contentOf({ mimeType }) }).inputTokens - 70;
  expect(['image/png', 'audio/wav', 'application/pdf', undefined].map(tokensOf)).toEqual([10_000, 4, 120, 120]);
  const replaced = contentOf({ mimeType: 'image/png', isReplaced: true });
  expect(estimateUse({ ...request, content: replaced }).inputTokens).toBe(100);
});

it('what a provider said before its answer broke off is kept, and the rest is estimated', () => {
  const usage = { inputTokens: 7, cachedInputTokens: 3, outputTokens: 1 };
  expect(estimateUse({ ...request, usage })).toEqual({ inputTokens: 7, cachedInputTokens: 3, outputTokens: 10 });
});

it('a request that its provider refused has used nothing', () => {
  const refused = { status: 400, hasBegun: false, refusal: { status: 400, text: '' } };
  expect(estimateUse({ ...request, answer: refused })).toEqual({
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
  });
});
