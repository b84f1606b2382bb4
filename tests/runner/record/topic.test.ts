import { expect, it } from 'vitest';
import { listTopicWords } from './topic.ts';

const areOfOneTopic = (a: string, b: string) => !listTopicWords(a).isDisjointFrom(listTopicWords(b));

it.each([
  ['signed URLs', 'the signature of a URL'],
  ['an image', 'two pictures'],
  ['a delivery', 'what was written'],
  ['whoever guesses', 'GuessedIds'],
  ['401 without a credential', 'the answer is 401'],
])('%j and %j are of one topic', (a, b) => {
  expect(areOfOneTopic(a, b)).toBe(true);
});

it.each([
  ['is limited, and the box is not', 'addresses of IPv4 in the spelling of IPv6'],
  ['what it was before', 'whatever it was before'],
  ['is none', 'is none'],
])('%j and %j are not: what they have in common says nothing', (a, b) => {
  expect(areOfOneTopic(a, b)).toBe(false);
});
