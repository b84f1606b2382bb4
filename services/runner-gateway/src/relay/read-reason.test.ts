import { expect, it } from 'vitest';
import { readReason } from './read-reason.ts';

it.each([
  ['of Anthropic', '{"type":"error","error":{"type":"x","message":"no"}}', 'no'],
  ['of OpenAI', '{"error":{"message":"no","code":null}}', 'no'],
  ['of Google', '{"error":{"code":400,"message":"no","status":"X"}}', 'no'],
  ['of Google, for events', '[{"error":{"message":"no"}}]', 'no'],
  ['that is cut off', '{"error":{"message":"no', ''],
  ['with another message', '{"error":{"message":{"a":1}}}', ''],
  ['without an error', '{"message":"no"}', ''],
  ['of nothing', '', ''],
  ['of null', 'null', ''],
])('a refusal %s says why [DL-38]', (_, text, reason) => {
  expect(readReason(text)).toBe(reason);
});
