import { expect, it } from 'vitest';
import { createPassingInspection } from './passing-inspection.ts';

const MB = 1024 * 1024;
const piece = new TextEncoder().encode('words '.repeat(MB / 6));

function inspect(pieceCount: number) {
  const inspection = createPassingInspection({});
  for (let count = 0; count < pieceCount; count += 1) inspection.push(piece);
  return inspection.end();
}

it('a text that passes is left to inspection beyond 32 MB, whose time is limited', () => {
  expect(inspect(32)).toMatchObject({ mimeType: 'text/plain' });
  expect(inspect(33)).toBeUndefined();
});
