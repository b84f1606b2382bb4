import { keyByName } from '../report/describe-drift.ts';
import { formatFigure, type Stack, type Unit } from '../report/result.ts';

/** What a kept file of one measurement says. */
export type MeasuredRow = { what: string; unit: Unit; product: { p50: number } };
export type Measured = Partial<Record<Stack, readonly MeasuredRow[]>>;

/** One row of both trees. `ratio` is this tree's figure over that of the commit; a side that did not measure the row has no figure. */
export type PairedRow = {
  name: string;
  unit: Unit;
  here?: number | undefined;
  there?: number | undefined;
  ratio?: number | undefined;
  isWorse: boolean;
};

/** More than this is no noise of two interleaved turns. */
const WORSE_SHARE = 0.05;

const isMoreBetter: Record<Unit, boolean> = { ms: false, s: false, MB: false, 'MB/s': true, 'per s': true };

/** The rows of one measurement, from the turns of each tree; a figure is the middle one of the tree's better turn. */
export function pairRows(turns: { here: readonly Measured[]; there: readonly Measured[] }): PairedRow[] {
  const here = takeBestTurn(turns.here);
  const there = takeBestTurn(turns.there);
  return [...new Map([...there, ...here])].map(([name, { unit }]) => {
    const [own, other] = [here.get(name)?.figure, there.get(name)?.figure];
    const ratio = own === undefined || other === undefined ? undefined : own / other;
    return { name, unit, here: own, there: other, ratio, isWorse: ratio !== undefined && isWorse(ratio, unit) };
  });
}

/** Whether this tree needs a twentieth more, or does that much less. */
function isWorse(ratio: number, unit: Unit): boolean {
  return (isMoreBetter[unit] ? 1 / ratio : ratio) > 1 + WORSE_SHARE;
}

// A neighbour on the machine makes a turn slower and never faster.
function takeBestTurn(turns: readonly Measured[]): Map<string, { unit: Unit; figure: number }> {
  const best = new Map<string, { unit: Unit; figure: number }>();
  for (const turn of turns) {
    for (const [name, { unit, product }] of keyByName(turn)) {
      const pick = isMoreBetter[unit] ? Math.max : Math.min;
      best.set(name, { unit, figure: pick(best.get(name)?.figure ?? product.p50, product.p50) });
    }
  }
  return best;
}

/** A line for each row: both figures, their ratio, and which are worse by more than a twentieth. */
export function formatPairs(rows: readonly PairedRow[], commit: string): string {
  const cells = [
    ['measured', 'this tree', commit, 'ratio', ''],
    ...rows.map(({ name, unit, here, there, ratio, isWorse }) => [
      name,
      formatSide(here, unit),
      formatSide(there, unit),
      ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
      isWorse ? 'WORSE' : '',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

const formatSide = (figure: number | undefined, unit: Unit): string =>
  figure === undefined ? 'not measured' : formatFigure(figure, unit);
