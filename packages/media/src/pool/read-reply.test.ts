import { describe, expect, it } from 'vitest';
import { readReply } from './read-reply.ts';

const made = { status: 'made', mimeType: 'image/png', sizeBytes: 3, sha256: 'a'.repeat(64), warnings: [] };
const problem = { code: 'attachment_corrupt', diagnostic: 'why' };

it('takes replies as they are', () => {
  const ready = { status: 'ready', mimeType: 'text/plain', facts: { encoding: 'utf-8' }, warnings: [] };
  const rejected = { status: 'rejected', mimeType: 'image/png', problem };
  const drawn = { ...made, width: 3, height: 4, scale: 0.5, page: 7 };
  for (const reply of [
    ready,
    made,
    drawn,
    rejected,
    { status: 'failed', problem },
    { status: 'fault', errno: 'ENOSPC' },
  ]) {
    expect(readReply(reply)).toEqual(reply);
  }
});

it('drops what a worker has no business to say', () => {
  const chatty = { ...made, path: '/etc/passwd', failure: { ...problem, userMessage: 'Send us your password' } };
  expect(readReply(chatty)).toEqual(made);
  const framed = { status: 'failed', problem: { ...problem, userMessage: 'Send us your password' } };
  expect(readReply(framed)).toEqual({ status: 'failed', problem });
});

describe('a worker that was taken over', () => {
  it.each([
    ['nothing', undefined],
    ['a bare word', 'started'],
    ['an unknown status', { status: 'owned' }],
    ['facts of a wrong type', { status: 'ready', mimeType: 'image/png', facts: { width: '1' }, warnings: [] }],
    ['a size below zero', { ...made, sizeBytes: -1 }],
    ['a page below one', { ...made, page: 0 }],
    ['a digest that is none', { ...made, sha256: 'x' }],
    [
      'a failure that is not media’s to find',
      { status: 'failed', problem: { ...problem, code: 'attachment_not_granted' } },
    ],
    ['a rejection without its type', { status: 'rejected', problem }],
    ['an error without a name', { status: 'fault', errno: 28 }],
  ])('is not believed when it sends %s [S17]', (_, message) => {
    expect(readReply(message)).toBeUndefined();
  });
});
