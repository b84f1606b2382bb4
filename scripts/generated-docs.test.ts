import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { composeDocs, readCodes, readStatuses } from './generated-docs.ts';

describe('documents made from the code', () => {
  it.each(composeDocs())('$path is as `npm run docs` writes it', ({ path, text }) => {
    expect(readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')).toBe(text);
  });

  it('give every error code its status, title and meaning', () => {
    const errors = composeDocs().find(({ path }) => path === 'docs/errors.md')?.text ?? '';
    const rows = errors.split('\n').filter((line) => /^\| .*`[A-Z_]+`/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => !/^\| \d{3} \| `[A-Z_]+` \| [^|]+ \| [^|]+ \|$/.test(row))).toEqual([]);
  });
});

describe('reading the sources', () => {
  it('takes a code with the comment above it, and refuses one without', () => {
    expect(readCodes("  /** No route. */\n  'ROUTE_NOT_FOUND',")).toEqual([
      { code: 'ROUTE_NOT_FOUND', meaning: 'No route.' },
    ]);
    expect(() => readCodes("  'ROUTE_NOT_FOUND',")).toThrow('ROUTE_NOT_FOUND');
  });

  it('takes status and title of a problem', () => {
    expect(readStatuses("  NO_FILE: [400, 'No file'],").get('NO_FILE')).toEqual({ status: 400, title: 'No file' });
  });
});
