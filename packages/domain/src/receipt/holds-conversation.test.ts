import { expect, it } from 'vitest';
import { holdsConversation } from './holds-conversation.ts';
import type { WireBlock, WireRequest } from './wire-facts.ts';

const block = (place: WireBlock['place']): WireBlock => ({ kind: 'other', place, key: place });
const accepted = { status: 200, hasBegun: true };
const request = (...places: WireBlock['place'][]): WireRequest => ({ blocks: places.map(block), answer: accepted });

it('a conversation is continued where the first accepted request that was read holds an answer of the model [BX-26]', () => {
  expect(holdsConversation([request('system', 'user', 'assistant', 'user')])).toBe(true);
  expect(holdsConversation([request('system', 'user')])).toBe(false);
  // The model's output in this turn does not belong to the conversation before it.
  expect(holdsConversation([request('user'), request('user', 'assistant', 'tool-result')])).toBe(false);
});

it('of requests that were not read or not answered nothing is known', () => {
  const unread: WireRequest = { blocks: undefined, answer: accepted };
  const refused: WireRequest = { ...request('user'), answer: { status: 429, hasBegun: true } };
  expect(holdsConversation([])).toBeUndefined();
  expect(holdsConversation([unread, refused])).toBeUndefined();
  expect(holdsConversation([unread, refused, request('user', 'assistant')])).toBe(true);
});
