import { expect } from 'vitest';
import { readBody } from '../../__fixtures__/read-body.ts';
import type { ContentBlock } from '../../content/content-types.ts';
import type { ModelApi } from '../../relay-types.ts';
import { listPieces, measurePieces } from '../list-pieces.ts';
import { planSplices } from '../plan-splices.ts';
import { replacements } from './refused-bodies.ts';

export type Spliced = { body: string; blocks: readonly ContentBlock[]; count: number };

/** Returns the bytes sent for a body that comes in chunks which end at `cuts`. */
export function spliceBody(api: ModelApi, json: string, cuts: readonly number[] = []): Spliced {
  const content = readBody(json, { api, cuts });
  if (content === 'refused') throw new Error('The body is refused.');
  const splices = planSplices(content?.blocks ?? [], replacements);
  const bytes = Buffer.from(json);
  const pieces = [...listPieces(api, splices, bytes.length)];
  const sent = pieces.map((piece) => ('start' in piece ? bytes.subarray(piece.start, piece.end) : piece));
  const body = Buffer.concat(sent);
  expect(measurePieces(pieces)).toBe(body.length);
  return { body: body.toString(), blocks: content?.blocks ?? [], count: splices.length };
}

/** Spelled as no program does, and as every reader takes it. */
