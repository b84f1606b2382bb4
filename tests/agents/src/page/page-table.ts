import { digestRows } from '../changes.ts';
import type { RuntimeUnderTest } from '../runtimes.ts';

/** The page's tables, by what is in the second cell of their rows. */
const tables: Readonly<Record<string, readonly string[]>> = {
  kinds: ['every kind', 'text'],
  pictures: ['PNG', 'JPEG', 'WebP', 'GIF'],
  pixels: ['PNG of one colour'],
  documents: ['HEIC and PDF'],
  texts: ['texts'],
  wire: ['behind the relay'],
  ownCalls: ['ran all the same', 'stopped at the gate', 'brought nothing'],
};

const TABLE = /(<!-- made by tests\/agents: (\w+) -->\n)[\s\S]*?(\| program [^\n]*\n[^\n]*\n)[\s\S]*?(\n<!-- end -->)/g;
// A row of one program, whatever its version, and of one kind.
const ROW = /^\| (\S+) \S+ \(`[^`]+`\) \| ([^|]+) \|/;

/** The first cell of a program's rows. */
export function nameProgram({
  installed,
  runtime,
}: Pick<RuntimeUnderTest, 'runtime'> & { installed: { name: string; version: string } }): string {
  return `${installed.name} ${installed.version} (\`${runtime}\`)`;
}

/** The page with tables of these rows, and what they were seen with. */
export function formatTables(page: string, rows: readonly string[]): string {
  const date = new Date().toISOString().slice(0, 10);
  const seen = `Seen on ${date}, with the catalog's rows and pinned versions \`${digestRows()}\`.`;
  return page.replace(TABLE, (_table, start, name, heading, end) => {
    const own = rows.filter((row) => tables[name]?.includes(ROW.exec(row)?.[2] ?? ''));
    const note = name === 'kinds' ? `${seen}\n\n` : '';
    return `${start}${note}${heading}${own.join('\n')}\n${end}`;
  });
}

/** The page with these rows in the place of those of the same programs. */
export function replaceRows(page: string, rows: readonly string[]): string {
  const nameRow = (line: string) => ROW.exec(line)?.slice(1).join();
  const renewed = new Map(rows.map((row) => [nameRow(row), row]));
  return page
    .split('\n')
    .map((line) => (nameRow(line) === undefined ? line : (renewed.get(nameRow(line)) ?? line)))
    .join('\n');
}
