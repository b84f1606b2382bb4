import type { Failure } from '@attache/contracts';
import { expect, it } from 'vitest';
import { explainRefusal, lookBeforeTurn } from './explain-refusal.ts';

const failure: Failure = {
  ...{ code: 'attachment_provider_rejected', severity: 'error', userMessage: 'of the program', diagnostic: 'no' },
  retryable: false,
};
const quarantineOf = (leftOut: string[], isTooLarge = false) => ({
  listRefused: () => new Set(leftOut),
  mustBeginAnew: () => isTooLarge,
});
const explain = (before: string[], after: string[], more: Partial<Parameters<typeof explainRefusal>[1]> = {}) =>
  explainRefusal(failure, {
    ...{ quarantine: quarantineOf(after), before: lookBeforeTurn(quarantineOf(before)) },
    ...{ sent: new Set(['sent']), lastEnd: undefined },
    ...more,
  });

it('what a program says of a failed turn stays, where the relay knows nothing of it', () => {
  expect(explain([], [], { quarantine: undefined, before: lookBeforeTurn(undefined) })).toBe(failure);
  expect(explain(['old'], ['old'])).toBe(failure);
});

it('a file that the turn has shown to be refused is left out, and the advice says so [BX-01 BX-02 DL-38]', () => {
  const explained = explain(['old'], ['old', 'sent']);
  expect(explained).toEqual({ ...failure, userMessage: expect.stringContaining('left out') });
});

it('a file of an earlier message that is refused has a failure of its own: the message may be tried again without it [BX-02 DL-38 DL-42]', () => {
  const explained = explain([], ['earlier']);
  expect(explained).toMatchObject({ code: 'attachment_earlier_rejected', retryable: true, diagnostic: 'no' });
});

it('a conversation that is too large has a code of its own, and may be tried again [BX-01 DL-40 DL-42]', () => {
  expect(explain([], ['sent'], { quarantine: quarantineOf(['sent'], true) })).toMatchObject({
    ...{ code: 'attachment_serialized_payload_too_large', retryable: true, diagnostic: 'no' },
  });
});

it('a limit of seconds is no refusal of the files, whatever the program makes of it [DL-38 DL-57]', () => {
  const refusal = { status: 429, text: '{}' };
  const lastEnd = { as: 'refused', api: 'anthropic', refusal, retryAfterMs: 1_500 } as const;
  expect(explain([], [], { lastEnd })).toMatchObject({
    ...{ code: 'attachment_provider_rate_limited', retryable: true },
    safeDetails: { status: 429, retryAfterSeconds: 2 },
  });
});
