/** One line of the table. `target` is what is promised, `isMissed` whether this run broke it. */
export type Result = { what: string; figures: string; target?: string; isMissed?: boolean };

export const inMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;

/** A table for people, as plain text. */
export function formatTable(results: readonly Result[]): string {
  const rows = [
    ['measured', 'figures', 'target', ''],
    ...results.map(({ what, figures, target, isMissed }) => [
      what,
      figures,
      target ?? '',
      target === undefined ? '' : isMissed ? 'MISSED' : 'held',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(
    1,
    0,
    widths
      .map((width) => '-'.repeat(width))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
