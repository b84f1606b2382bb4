import { expect, it } from 'vitest';
import { readRequirements } from './requirements.ts';

const table = (...rows: string[]) =>
  ['# A title', '', '| id | what holds | proof |', '| --- | --- | --- |', ...rows].join('\n');

it('reads id, words and proof of each row, and no row of another table', () => {
  const rows = ['| SR-01 | A file. | `a/b.test.ts` a suite > a test |', '| not an id | what | `a.test.ts` a test |'];
  expect(readRequirements(table(...rows))).toEqual([
    { id: 'SR-01', text: 'A file.', proof: { file: 'a/b.test.ts', name: 'a suite > a test' } },
  ]);
});

it('reads a bar that is escaped, and a name with marks of its own', () => {
  const [row] = readRequirements(table('| W2 | This \\| that. | `a.process.test.ts` takes `x` \\| [1, 2] for "y" |'));
  expect(row).toEqual({
    ...{ id: 'W2', text: 'This | that.' },
    proof: { file: 'a.process.test.ts', name: 'takes `x` | [1, 2] for "y"' },
  });
});

it.each(['', 'a.test.ts a test', '`a.test.ts`', '`a.ts` a test'])('takes %j for no proof', (cell) => {
  expect(readRequirements(table(`| A1 | What. | ${cell} |`))).toEqual([{ id: 'A1', text: 'What.', proof: undefined }]);
});

it('a row of an earlier form has no proof', () => {
  expect(readRequirements('| A1 | What. |')).toEqual([{ id: 'A1', text: 'What.', proof: undefined }]);
});
