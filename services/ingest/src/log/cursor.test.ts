import { randomBytes, randomUUID } from 'node:crypto';
import type { SigningKeys } from '@attache/intake';
import { describe, expect, it } from 'vitest';
import { formatCursor, parseCursor } from './cursor.ts';

const keys: SigningKeys = [{ kid: 'k1', secret: randomBytes(32) }];
const position = { createdAt: new Date('2026-11-21T10:00:00.123Z'), id: randomUUID() };

describe('a cursor', () => {
  it('gives back the position where its page ended', () => {
    expect(parseCursor(keys, formatCursor(keys, position))).toEqual(position);
  });

  it.each([
    ['is empty', () => ''],
    ['names another row', (cursor: string) => cursor.replace(position.id, randomUUID())],
    ['names another time', (cursor: string) => `1${cursor}`],
    ['was made under another key', () => formatCursor([{ kid: 'k1', secret: randomBytes(32) }], position)],
    ['has something behind it', (cursor: string) => `${cursor}.x`],
  ])('is refused where it %s', (_why, forge) => {
    expect(() => parseCursor(keys, forge(formatCursor(keys, position)))).toThrow(/cursor is not one/);
  });
});
