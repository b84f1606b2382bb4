import type { ProviderAnswer, RelayedRequest } from '@attache/model-relay';
import { expect, it } from 'vitest';
import { describeEnd } from './describe-end.ts';

const answer: ProviderAnswer = { status: 200, hasBegun: true, refusal: undefined };
const refusal = { status: 429, text: '{}' };
const record = (more: Partial<RelayedRequest>) => ({
  ...{ refused: undefined, isWhole: true, answer },
  ...more,
});

it.each([
  ['a whole answer', record({}), { as: 'answered' }],
  ['an answer that broke off', record({ refused: 'relay_provider_failed', isWhole: false }), { as: 'broken' }],
  ['no answer', record({ refused: 'relay_provider_timeout', answer: undefined }), { as: 'unreached' }],
  [
    'a refusal, with the wait that it asks for',
    record({ answer: { status: 429, hasBegun: false, refusal, retryAfterMs: 2_000 } }),
    { as: 'refused', api: 'anthropic', refusal, retryAfterMs: 2_000 },
  ],
  [
    'the relay’s own refusal, with the field',
    record({ refused: 'relay_field_refused', refusedField: 'tools', answer: undefined }),
    { as: 'kept-back', code: 'relay_field_refused', field: 'tools' },
  ],
  ['a program that left', record({ isWhole: false }), undefined],
  ['a session of another owner', record({ refused: 'relay_ownership_lost', answer: undefined }), undefined],
] as const)('the end of a request, by which its turn’s failure gets its code: %s [DL-38]', (_, seen, end) => {
  expect(describeEnd('anthropic', seen)).toEqual(end);
});
