/** A table for people: a header, and a row of texts for each thing. */
export type Table = { columns: readonly string[]; rows: readonly (readonly string[])[] };

const BOLD = '\u001b[1m';
const PLAIN = '\u001b[22m';

/** Lines of a table, its columns aligned. What a row holds stays on its line, whatever it is. */
export function formatTable({ columns, rows }: Table, isColored: boolean): string[] {
  const shown = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '\u00b7')));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...shown.map((row) => row[index]?.length ?? 0)),
  );
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const header = format(columns.map((column) => column.toUpperCase()));
  return [isColored ? `${BOLD}${header}${PLAIN}` : header, ...shown.map(format)];
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** A size for people, e.g. `1.5 MiB`; exact sizes are in the JSON. */
export function formatBytes(sizeBytes: number): string {
  const power = sizeBytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(sizeBytes) / 10));
  const value = sizeBytes / 1024 ** power;
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${UNITS[power]}`;
}
