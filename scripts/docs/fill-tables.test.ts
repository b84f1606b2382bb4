import { expect, it } from 'vitest';
import { fillTables } from './fill-tables.ts';

const tables = {
  hosts: [
    ['Program', 'Hosts'],
    ['`pi`', 'none'],
  ],
  gates: [['Program'], ['`pi`']],
};
const mark = (name: string, rows = '') => `<!-- made by npm run docs: ${name} -->\n${rows}<!-- end -->\n`;
const fill = (text: string, given = tables) => fillTables({ path: 'page.md', text }, given);

it('a page gets its tables, and keeps what is around them', () => {
  const filled = fill(`# Page\n\n${mark('hosts')}\nBetween.\n\n${mark('gates', '| old |\n')}End.\n`);
  expect(filled).toBe(
    `# Page\n\n${mark('hosts', '| Program | Hosts |\n| --- | --- |\n| `pi` | none |\n')}\nBetween.\n\n${mark('gates', '| Program |\n| --- |\n| `pi` |\n')}End.\n`,
  );
  expect(fill(filled)).toBe(filled);
});

it.each([
  ['a table without a place in the page', mark('hosts'), /not one place for gates/],
  ['a table with two places', mark('hosts') + mark('gates') + mark('gates'), /not one place for gates/],
  ['a table that nothing makes', mark('hosts') + mark('gates') + mark('denials'), /names a table denials/],
  ['a misspelt mark', mark('hosts') + mark('gates').replace(' -->\n', '-->\n'), /mark that begins no table/],
  ['a mark without an end', mark('hosts').replace('<!-- end -->\n', '') + mark('gates'), /mark that begins no table/],
])('%s is no page: it would be written without a word', (_, text, said) => {
  expect(() => fill(text)).toThrow(said);
});

it('a table of which nothing is known is refused', () => {
  expect(() => fill(mark('hosts') + mark('gates'), { ...tables, gates: [['Program']] })).toThrow(
    'gates of page.md has no rows',
  );
});
