import { type Summary, summarise } from './sample.ts';

/** The hosted stack on MinIO, the same on versitygw, the embedded one, and the hosted one with many gateways. */
export type Stack = 'hosted' | 'versitygw' | 'embedded' | 'scale';

export type Unit = 'ms' | 's' | 'MB' | 'MB/s' | 'per s' | 'calls' | 'commits';

type Bound = { atMost: number } | { atLeast: number };

/** The promise for the ratio to the floor or for the product's own middle figure. */
export type Target = Bound & { of: 'ratio' | 'product' };

/** One line of the table. Without a target it is for information. */
export type Result = {
  what: string;
  unit: Unit;
  product: Summary;
  /** The floor, or whatever else the product is held against: `floorIs` says what. */
  floor?: Summary | undefined;
  floorIs?: string | undefined;
  /** The least that would be durable at all. */
  least?: Summary | undefined;
  target?: Target | undefined;
  /** The promise for the ratio to the least durable. */
  leastTarget?: Bound | undefined;
};

/** A line from the samples of its sides. */
export function compare(
  line: Pick<Result, 'what' | 'unit' | 'target' | 'leastTarget' | 'floorIs'>,
  samples: { product: readonly number[]; floor?: readonly number[]; least?: readonly number[] },
): Result {
  const { product, floor, least } = samples;
  return {
    ...{ ...line, product: summarise(product) },
    ...(floor && { floor: summarise(floor) }),
    ...(least && { least: summarise(least) }),
  };
}

export const ratioOf = ({ product, floor }: Result): number | undefined => floor && product.p50 / floor.p50;

const leastRatioOf = ({ product, least }: Result): number | undefined => least && product.p50 / least.p50;

/** One promise of a line, with what was measured of it. */
type Check = { bound: Bound; measured: number; says: string; promised: string };

const formatBound = (bound: Bound): string => ('atMost' in bound ? `≤ ${bound.atMost}` : `≥ ${bound.atLeast}`);

function expectMeasured(measured: number | undefined, { what }: Result): number {
  if (measured === undefined) throw new Error(`${what} has a target and nothing to hold it against.`);
  return measured;
}

function listChecks(result: Result): Check[] {
  const { target, leastTarget, product, unit } = result;
  const checks: Check[] = [];
  if (target?.of === 'product') {
    const promised = `${formatBound(target)} ${unit}`;
    checks.push({ bound: target, measured: product.p50, says: formatSummary(product, unit), promised });
  } else if (target) {
    const measured = expectMeasured(ratioOf(result), result);
    checks.push({ bound: target, measured, says: formatRatio(measured), promised: `${formatBound(target)} ×` });
  }
  if (leastTarget) {
    const measured = expectMeasured(leastRatioOf(result), result);
    const promised = `${formatBound(leastTarget)} × least`;
    checks.push({ bound: leastTarget, measured, says: `${formatRatio(measured)} least`, promised });
  }
  return checks;
}

const isBroken = ({ bound, measured }: Check): boolean =>
  'atMost' in bound ? !(measured <= bound.atMost) : !(measured >= bound.atLeast);

/** A line this near to its bound, on either side, may be on the other in the next run. */
const LINE_SHARE = 0.05;

function isNearBound({ bound, measured }: Check): boolean {
  const at = 'atMost' in bound ? bound.atMost : bound.atLeast;
  return Math.abs(measured - at) <= at * LINE_SHARE;
}

export const hasTarget = ({ target, leastTarget }: Result): boolean =>
  target !== undefined || leastTarget !== undefined;

/** Whether any promise of the line is broken. */
export const isMissed = (result: Result): boolean => listChecks(result).some(isBroken);

export const isOnTheLine = (result: Result): boolean => listChecks(result).some(isNearBound);

const formatCheck = (check: Check): string =>
  `${isBroken(check) ? 'MISSED' : 'held'}${isNearBound(check) ? ', on the line' : ''}`;

/** One verdict for each promise, in their order. */
const formatVerdict = (result: Result): string => listChecks(result).map(formatCheck).join('; ');

const inFigures = (value: number): string => value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);

export const formatFigure = (value: number, unit: Unit): string => `${inFigures(value)} ${unit}`;

/** `12.3 ms (11.0–15.2)`; one sample has no ends. */
function formatSummary({ p50, min, max, count }: Summary, unit: Unit): string {
  const middle = formatFigure(p50, unit);
  return count === 1 ? middle : `${middle} (${inFigures(min)}–${inFigures(max)})`;
}

const formatTarget = (result: Result): string =>
  listChecks(result)
    .map(({ promised }) => promised)
    .join('; ');

const formatRatio = (ratio: number | undefined): string => (ratio === undefined ? '' : `${ratio.toFixed(2)} ×`);

const HEAD = ['measured', 'product', 'floor', 'ratio', 'least durable', 'ratio', 'target', ''];

function toRows(results: readonly Result[]): string[][] {
  return results.map((result) => [
    result.product.count > 1 ? `${result.what} (p50 of ${result.product.count})` : result.what,
    formatSummary(result.product, result.unit),
    result.floor ? `${formatSummary(result.floor, result.unit)}${result.floorIs ? `, ${result.floorIs}` : ''}` : '',
    formatRatio(ratioOf(result)),
    result.least ? formatSummary(result.least, result.unit) : '',
    formatRatio(leastRatioOf(result)),
    formatTarget(result),
    formatVerdict(result),
  ]);
}

/** A table for people, as plain text. */
export function formatTable(results: readonly Result[]): string {
  const rows = [HEAD, ...toRows(results)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const format = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  const lines = [...rows.slice(0, 1), widths.map((width) => '-'.repeat(width)), ...rows.slice(1)].map(format);
  return `${lines.map((cells) => cells.join('  ').trimEnd()).join('\n')}\n`;
}

/** The same as a Markdown table. */
export function formatMarkdown(results: readonly Result[]): string {
  const rows = [HEAD, HEAD.map(() => '---'), ...toRows(results)];
  return rows.map((row) => `| ${row.join(' | ')} |`.replace(/ {2,}/g, ' ')).join('\n');
}

/** The missed targets, one sentence each. */
export function describeMisses(results: readonly Result[]): string[] {
  return results.flatMap((result) =>
    listChecks(result)
      .filter(isBroken)
      .map(({ says, promised }) => `Missed: ${result.what}: ${says}, target ${promised}`),
  );
}
