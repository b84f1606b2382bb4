import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

const linesOf = (pieces: string[], maxBytes: number) =>
  Array.fromAsync(readLines(Readable.from(pieces.map((piece) => Buffer.from(piece))), maxBytes));

it('gives lines as they end, wherever the pieces do', async () => {
  expect(await linesOf(['a', 'b\nc', 'ä\n\nlast'], 10)).toEqual(['ab', 'cä', '', 'last']);
});

it('gives nothing of a line that is too long, and continues behind it', async () => {
  expect(await linesOf(['12345678901\nshort\n', '123456', '78901', '2\n1234567890\n'], 10)).toEqual([
    undefined,
    'short',
    undefined,
    '1234567890',
  ]);
});
