import { expect, it } from 'vitest';
import { measureResent } from './measure-resent.ts';
import type { WireBlock, WireRequest } from './wire-facts.ts';

const text = (key: string, start: number, end: number): WireBlock => ({
  ...{ kind: 'text', place: 'user', key, range: { start, end }, isReadable: true, whole: undefined, framed: [] },
});
const call: WireBlock = { kind: 'other', place: 'assistant', key: 'call' };
const request = (...blocks: WireBlock[]): WireRequest => ({ blocks, answer: { status: 200, hasBegun: true } });

it('counts what an earlier request held, and what was moved in it, once each', () => {
  const [a, b, c] = [text('a', 0, 100), text('b', 100, 130), text('c', 130, 131)];
  expect(measureResent([a, call, b, c], request(a, call, b))).toBe(130);
  // The history is shortened: what is left of it was sent before.
  expect(measureResent([b, c], request(a, b))).toBe(30);
  expect(measureResent([{ ...a }, { ...a }], request(a))).toBe(100);
  expect(measureResent([a], request(b))).toBe(0);
});

it('counts nothing where nothing was seen before', () => {
  const blocks = [text('a', 0, 100)];
  expect([undefined, 'unseen' as const].map((earlier) => measureResent(blocks, earlier))).toEqual([0, 0]);
  expect(measureResent(blocks, { blocks: undefined, answer: undefined })).toBe(0);
});
