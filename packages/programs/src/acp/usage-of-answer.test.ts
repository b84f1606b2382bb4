import { expect, it } from 'vitest';
import { usageOfAnswer } from './usage-of-answer.ts';

it('takes what an agent counted, in either spelling [SR-27]', () => {
  expect(usageOfAnswer({ usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5, cached: 1 } })).toEqual({
    inputTokens: 3,
    outputTokens: 2,
    totalTokens: 5,
  });
  const quota = { token_count: { input_tokens: 3, output_tokens: 0 }, model_usage: [] };
  expect(usageOfAnswer({ stopReason: 'end_turn', _meta: { quota } })).toEqual({ inputTokens: 3, outputTokens: 0 });
});

it.each([undefined, null, 'usage', {}, { usage: 7 }, { usage: { inputTokens: -1, totalTokens: '5' } }, { _meta: [] }])(
  'has nothing where nothing was counted: %j',
  (answer) => {
    expect(usageOfAnswer(answer)).toBeUndefined();
  },
);
