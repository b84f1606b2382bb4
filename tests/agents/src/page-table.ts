import { digestRows } from './changes.ts';

const TABLE = /(<!-- made by tests\/agents -->\n)[\s\S]*?(\| program [^\n]*\n[^\n]*\n)[\s\S]*?(\n<!-- end -->)/;
// Of one program, whatever its version, with a model of one ability.
const ROW = /^\| (\S+) \S+ \(`[^`]+`\) \| ([^|]+) \|/;

/** The page with a table of these rows, and what they were seen with. */
export function formatTable(page: string, rows: readonly string[]): string {
  const date = new Date().toISOString().slice(0, 10);
  const seen = `Seen on ${date}, with the catalog's rows and pinned versions \`${digestRows()}\`.`;
  return page.replace(
    TABLE,
    (_table, start, heading, end) => `${start}${seen}\n\n${heading}${rows.join('\n')}\n${end}`,
  );
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
