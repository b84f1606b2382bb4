/** The rows of a table, of which the first is its heading. */
export type Cells = readonly (readonly string[])[];

const TABLE = /(<!-- made by npm run docs: (\w+) -->\n)((?:(?!<!-- )[\s\S])*)(<!-- end -->)/g;
const MARK = '<!-- made by npm run docs';

/**
 * A page with the present rows of its tables, each between its mark and an end. Throws where a mark is not that of a table, a table has no place or two in the page, or a table
 * has no rows: such a page would be written without a word, and would stay as it is.
 */
export function fillTables({ path, text }: { path: string; text: string }, tables: Readonly<Record<string, Cells>>) {
  const found = [...text.matchAll(TABLE)].map(([, , name = '']) => name);
  if (found.length !== text.split(MARK).length - 1)
    throw new Error(
      `${path} has a mark that begins no table: "${MARK}: name -->" on its line, and "<!-- end -->" below.`,
    );
  const [unknown] = found.filter((name) => tables[name] === undefined);
  if (unknown !== undefined) throw new Error(`${path} names a table ${unknown}, which nothing makes.`);
  for (const [name, { length }] of Object.entries(tables)) {
    if (found.filter((each) => each === name).length !== 1) throw new Error(`${path} has not one place for ${name}.`);
    if (length < 2) throw new Error(`The table ${name} of ${path} has no rows.`);
  }
  return text.replace(TABLE, (_, start, name, _old, end) => `${start}${formatTable(tables[name] ?? [])}\n${end}`);
}

function formatTable([heading = [], ...rows]: Cells): string {
  const lines = [heading, heading.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
