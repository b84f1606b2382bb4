import { describe, expect, it } from 'vitest';
import { listDropped } from './list-dropped.ts';
import type { WireBlock, WireRequest } from './wire-facts.ts';

const media = (sha256: string, more: object = {}): WireBlock => ({
  ...{ kind: 'media', place: 'user', key: sha256, isReadable: true, sha256, sizeBytes: 9 },
  ...more,
});
const said = (key: string, place: 'user' | 'assistant'): WireBlock => ({
  ...{ kind: 'text', place, key, isReadable: true, whole: undefined, framed: [] },
});
const request = (status: number, ...blocks: WireBlock[]): WireRequest => ({
  blocks,
  answer: { status, hasBegun: status === 200 },
});
const [hi, yes] = [said('hi', 'user'), said('yes', 'assistant')];
const earlier = request(200, media('a'), hi);
const dropped = (requests: readonly WireRequest[], before: WireRequest | 'unseen' | undefined = earlier) =>
  listDropped({ requests, earlier: before });

describe('files that a program has left out of its conversation [BX-02 BX-23]', () => {
  it('were in an earlier request, and are not in the last one that was accepted', () => {
    expect(dropped([request(200, media('a'), hi, yes, media('b')), request(200, media('a'), hi, yes)])).toEqual([
      { sha256: 'b', isAfterRefusal: false },
    ]);
    expect(dropped([request(200, hi, yes)])).toEqual([{ sha256: 'a', isAfterRefusal: false }]);
    expect(dropped([request(200, media('a'), hi)])).toEqual([]);
  });

  it('may be what was refused, if the last refused request held them', () => {
    const refused = [request(400, media('a'), hi, yes, media('b')), request(400, media('a'), hi, yes)];
    expect(dropped([...refused, request(200, hi, yes)])).toEqual([
      { sha256: 'a', isAfterRefusal: true },
      { sha256: 'b', isAfterRefusal: false },
    ]);
  });

  it.each<[string, Parameters<typeof dropped>]>([
    ['a turn that was not answered', [[request(400, hi)]]],
    ['a request that was not read', [[{ ...request(200), blocks: undefined }]]],
    ['a conversation of a helper, or one that was summed up', [[request(200, said('other', 'user'))]]],
    ['a conversation of which nothing was seen', [[request(200, hi, yes)], 'unseen']],
    ['one that was out already', [[request(200, hi)], request(200, media('a', { isReplaced: true }), hi)]],
    ['one of which nobody knows the bytes', [[request(200, hi)], request(200, media('', { isReadable: false }), hi)]],
  ])('are none in %s', (_, [requests, before]) => {
    expect(dropped(requests, before)).toEqual([]);
  });
});
