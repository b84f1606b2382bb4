import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCodes, failureCodes } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { readStatuses } from './error-docs.ts';
import { composeDocs } from './generated-docs.ts';

describe('documents made from the code', () => {
  it.each(composeDocs())('$path is as `npm run docs` writes it', ({ path, text }) => {
    expect(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')).toBe(text);
  });

  const errors = composeDocs().find(({ path }) => path === 'docs/errors.md')?.text ?? '';

  it('give every error code its status, title, meaning and a link to what it means', () => {
    const rows = errors.split('\n').filter((line) => /^\| .*`[A-Z_]+`/.test(line));
    expect(rows).toHaveLength(errorCodes.length);
    const whole = /^\| \d{3} \| \[`[A-Z_]+`\]\(#[a-z_]+\) \| [^|]+ \| [^|]+ \|$/;
    expect(rows.filter((row) => !whole.test(row))).toEqual([]);
  });

  it('say what to do about every code, each once, and about no other [DL-37 DL-12]', () => {
    const names = [...errorCodes, ...failureCodes].map((code) => code.toLowerCase());
    const sections = errors.split(/^### /m).slice(1);
    expect(sections.map((section) => section.split('\n', 1)[0]).toSorted()).toEqual([...new Set(names)].toSorted());
    expect(sections.filter((section) => !section.includes('- **What to do**: '))).toEqual([]);
  });
});

it('status and title of a problem are read from the map of problems', () => {
  expect(readStatuses("  NO_FILE: [400, 'No file'],").get('NO_FILE')).toEqual({ status: 400, title: 'No file' });
});
