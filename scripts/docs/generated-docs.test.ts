import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodes, failureCodes } from '@attache/contracts';
import { programs } from '@attache/programs';
import { describe, expect, it } from 'vitest';
import { readStatuses } from './error-docs.ts';
import { composeDocs } from './generated-docs.ts';

describe('documents made from the code', () => {
  it.each(composeDocs())('$path is as `npm run docs` writes it', ({ path, text }) => {
    expect(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')).toBe(text);
  });

  it('have no table without rows, and nor has any other page', () => {
    const folder = fileURLToPath(new URL('../../docs', import.meta.url));
    const paths = globSync('**/*.md', { cwd: folder });
    const empty = paths.flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const headings = text.matchAll(/^\|[ :|-]+\|\n(?!\|)|<!-- made by .*-->\n<!-- end -->/gm);
      return [...headings].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`);
    });
    expect(paths.length).toBeGreaterThan(50);
    expect(empty).toEqual([]);
  });

  it('name each program that can be installed in each table of programs', () => {
    const agents = composeDocs().find(({ path }) => path === 'docs/agents.md')?.text ?? '';
    const commands = programs.flatMap(({ profile, isBundled }) =>
      profile && !isBundled ? profile.command.join(' ') : [],
    );
    const made = [...agents.matchAll(/<!-- made by npm run docs: (\w+) -->\n([\s\S]*?)<!-- end -->/g)];
    // These are by runtime: one row may be of several programs.
    const ofPrograms = made.filter(([, name]) => name !== 'proofs');
    const missing = ofPrograms.flatMap(([, name, rows = '']) =>
      commands.filter((command) => !rows.includes(`| \`${command}\` |`)).map((command) => `${name}: ${command}`),
    );
    expect(ofPrograms.length).toBeGreaterThan(1);
    expect(missing).toEqual([]);
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
