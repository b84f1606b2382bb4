import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCodes, failureCodes } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { readStatuses } from './error-docs.ts';
import { composeDocs } from './generated-docs.ts';

describe('documents made from the code', () => {
  it.each(composeDocs())('$path is as `npm run docs` writes it', ({ path, text }) => {
    expect(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')).toBe(text);
  });

  it('give every error code its status, title, meaning and a link to its page', () => {
    const errors = composeDocs().find(({ path }) => path === 'docs/errors.md')?.text ?? '';
    const rows = errors.split('\n').filter((line) => /^\| .*`[A-Z_]+`/.test(line));
    expect(rows).toHaveLength(errorCodes.length);
    const whole = /^\| \d{3} \| \[`[A-Z_]+`\]\(errors\/[a-z_]+\.md\) \| [^|]+ \| [^|]+ \|$/;
    expect(rows.filter((row) => !whole.test(row))).toEqual([]);
  });

  it('have a page for every code, and no other page [DL-37 DL-12]', () => {
    const files = readdirSync(fileURLToPath(new URL('../../docs/errors', import.meta.url)));
    const names = [...errorCodes, ...failureCodes].map((code) => `${code.toLowerCase()}.md`);
    expect(files.toSorted()).toEqual([...new Set(names)].toSorted());
  });
});

it('status and title of a problem are read from the map of problems', () => {
  expect(readStatuses("  NO_FILE: [400, 'No file'],").get('NO_FILE')).toEqual({ status: 400, title: 'No file' });
});
