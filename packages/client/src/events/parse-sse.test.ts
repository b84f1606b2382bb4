import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser } from './parse-sse.ts';

const STREAM =
  'retry: 1000\n\n: still here\n\nid: 7\nevent: x\ndata: {"a":1}\n\nid: 8\r\ndata:one\r\ndata: two\r\n\r\ndata: last\n\n';
const BLOCKS = [{}, {}, { id: '7', data: '{"a":1}' }, { id: '8', data: 'one\ntwo' }, { data: 'last' }];

describe('a stream of server-sent events', () => {
  it('is read the same however its text is cut', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: STREAM.length }));
    fc.assert(
      fc.property(cuts, (places) => {
        const parse = createSseParser();
        const ends = [...places.toSorted((a, b) => a - b), STREAM.length];
        const blocks = ends.flatMap((end, index) => parse(STREAM.slice(ends[index - 1] ?? 0, end)));
        expect(blocks).toEqual(BLOCKS);
      }),
    );
  });

  it('gives no block that is not whole', () => {
    expect(createSseParser()('id: 1\ndata: {"a":1}\n')).toEqual([]);
  });
});
