import { describe, expect, it } from 'vitest';
import { holdsConversation } from './holds-conversation.ts';
import type { WireBlock, WireRequest } from './wire-facts.ts';

const block = (place: WireBlock['place']): WireBlock => ({ kind: 'other', place, key: place });
const accepted = { status: 200, hasBegun: true };
const request = (...places: WireBlock['place'][]): WireRequest => ({ blocks: places.map(block), answer: accepted });

it('a conversation is continued where the first accepted request that was read holds an answer of the model [BX-26]', () => {
  expect(holdsConversation([request('system', 'user', 'assistant', 'user')])).toBe(true);
  expect(holdsConversation([request('system', 'user')])).toBe(false);
  // What the model says in this turn is none of the conversation before.
  expect(holdsConversation([request('user'), request('user', 'assistant', 'tool-result')])).toBe(false);
});

it('of requests that were not read or not answered nothing is known', () => {
  const unread: WireRequest = { blocks: undefined, answer: accepted };
  const refused: WireRequest = { ...request('user'), answer: { status: 429, hasBegun: true } };
  expect(holdsConversation([])).toBeUndefined();
  expect(holdsConversation([unread, refused])).toBeUndefined();
  expect(holdsConversation([unread, refused, request('user', 'assistant')])).toBe(true);
});

describe('where the program sends texts as they were given to it', () => {
  const text = (sha256: string): WireBlock => ({
    ...{ kind: 'text', place: 'user', key: sha256, isReadable: true, framed: [] },
    whole: { sha256, sizeBytes: 1 },
  });
  const asks = (...said: string[]): WireRequest => ({
    blocks: [block('assistant'), ...said.map(text)],
    answer: accepted,
  });

  it.each([
    ['the last message is there', ['former', 'present'], ['former'], true],
    ['one of its texts is there', ['former', 'present'], ['other', 'former'], true],
    ['the last message is gone', ['older', 'present'], ['former'], false],
    ['both say the same', ['present'], ['present'], true],
    ['the last message had no text', ['present'], [], true],
    ['it does not: texts are joined or framed', ['former and present'], ['former'], true],
  ] as const)('%s [BX-26]', (_, said, former, holds) => {
    expect(holdsConversation([asks(...said)], { present: ['present'], former })).toBe(holds);
  });

  it('a message without a text of its own says nothing of that', () => {
    expect(holdsConversation([asks('older')], { present: [], former: ['former'] })).toBe(true);
  });
});
