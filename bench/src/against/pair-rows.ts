import { keyByName } from '../report/describe-drift.ts';
import { formatFigure, type Stack, type Unit } from '../report/result.ts';

/** A row in the kept file of one measurement. */
export type MeasuredRow = { what: string; unit: Unit; product: { p50: number }; floor?: { p50: number } | undefined };
export type Measured = Partial<Record<Stack, readonly MeasuredRow[]>>;

/**
 * One row of both trees. `ratio` is this tree's figure over that of the commit, both in floors if the row has one; a side that did not
 * measure the row has no figure.
 */
export type PairedRow = {
  name: string;
  unit: Unit;
  here?: number | undefined;
  there?: number | undefined;
  ratio?: number | undefined;
  isWorse: boolean;
};

/** More than this is no noise of many interleaved turns. */
const WORSE_SHARE = 0.05;

const isMoreBetter: Record<Unit, boolean> = {
  ms: false,
  s: false,
  MB: false,
  'MB/s': true,
  'per s': true,
  calls: false,
  commits: false,
};

/** The rows of one measurement, from the turns of each tree; a figure is the middle one of its turns. */
export function pairRows(turns: { here: readonly Measured[]; there: readonly Measured[] }): PairedRow[] {
  const here = takeMiddleTurn(turns.here);
  const there = takeMiddleTurn(turns.there);
  return [...new Map([...there, ...here])].map(([name, { unit }]) => {
    const [own, other] = [here.get(name), there.get(name)];
    const ratio = own && other && divide(own, other);
    return {
      ...{ name, unit, here: own?.figure, there: other?.figure, ratio },
      isWorse: ratio !== undefined && isWorse(ratio, unit),
    };
  });
}

// A disturbance that slows a turn slows its floor, too.
const divide = (own: Figures, other: Figures): number =>
  own.inFloors === undefined || other.inFloors === undefined
    ? own.figure / other.figure
    : own.inFloors / other.inFloors;

/** Whether this tree needs a twentieth more, or does that much less. */
function isWorse(ratio: number, unit: Unit): boolean {
  return (isMoreBetter[unit] ? 1 / ratio : ratio) > 1 + WORSE_SHARE;
}

type Figures = { unit: Unit; figure: number; inFloors: number | undefined };

function takeMiddleTurn(turns: readonly Measured[]): Map<string, Figures> {
  const rows = Map.groupBy(
    turns.flatMap((turn) => [...keyByName(turn)]),
    ([name]) => name,
  );
  return new Map([...rows].map(([name, measured]) => [name, summariseTurns(measured.map(([, row]) => row))]));
}

function summariseTurns(rows: readonly MeasuredRow[]): Figures {
  const ratios = rows.flatMap(({ product, floor }) => (floor === undefined ? [] : [product.p50 / floor.p50]));
  return {
    unit: rows[0]?.unit ?? 'ms',
    figure: takeMiddle(rows.map(({ product }) => product.p50)),
    inFloors: ratios.length === rows.length ? takeMiddle(ratios) : undefined,
  };
}

/** For an even count, the mean of the two in the middle. */
function takeMiddle(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = low] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return (low + high) / 2;
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
