import type { Failure } from '@attache/contracts';
import { expect, it } from 'vitest';
import { explainRefusal, lookBeforeTurn } from './explain-refusal.ts';

const failure: Failure = {
  ...{ code: 'attachment_provider_rejected', severity: 'error', userMessage: 'of the program', diagnostic: 'no' },
  retryable: false,
};
const quarantineOf = (leftOut: number, isTooLarge = false) => ({
  countRefused: () => leftOut,
  mustBeginAnew: () => isTooLarge,
});

it('what a program says of a failed turn stays, where the relay knows nothing of it', () => {
  expect(explainRefusal(failure, undefined, lookBeforeTurn(undefined))).toBe(failure);
  expect(explainRefusal(failure, quarantineOf(1), lookBeforeTurn(quarantineOf(1)))).toBe(failure);
});

it('a file that the turn has shown to be refused is left out, and the advice says so [BX-01 BX-02 DL-38]', () => {
  const explained = explainRefusal(failure, quarantineOf(2), lookBeforeTurn(quarantineOf(1)));
  expect(explained).toEqual({ ...failure, userMessage: expect.stringContaining('left out') });
});

it('a conversation that is too large has a code of its own, and may be tried again [BX-01 DL-40 DL-42]', () => {
  expect(explainRefusal(failure, quarantineOf(1, true), lookBeforeTurn(undefined))).toMatchObject({
    ...{ code: 'attachment_serialized_payload_too_large', retryable: true, diagnostic: 'no' },
  });
});
