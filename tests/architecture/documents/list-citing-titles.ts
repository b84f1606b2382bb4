import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Citation, readIds } from '@attache/test-runner/cited-ids';
import { repositoryRoot } from '../source/source-files.ts';

const TITLE = /(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/** The titles of a file that cite ids, each behind the lines that enclose it, as they stand in the source. */
export function listCitingTitles(file: string): Citation[] {
  const lines = readFileSync(join(repositoryRoot, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const titles = [...line.matchAll(TITLE)]
      .map(([, , title = '']) => title)
      .filter((each) => readIds(each).length > 0);
    const around = titles.length > 0 ? listEnclosing(lines, index) : [];
    return titles.map((title) => ({ file, name: [...around, title].join(' > ') }));
  });
}

// The formatter indents what a line encloses.
function listEnclosing(lines: readonly string[], index: number): string[] {
  const enclosing: string[] = [];
  let indent = indentOf(lines[index]);
  for (const line of lines.slice(0, index).toReversed()) {
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    enclosing.unshift(line.trim());
  }
  return enclosing;
}

const indentOf = (line = ''): number => line.search(/\S/);
