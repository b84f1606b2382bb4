import { type Summary, summarise } from './sample.ts';

/** The hosted stack on MinIO, the same on versitygw, the embedded one, and the hosted one with many gateways. */
export type Stack = 'hosted' | 'versitygw' | 'embedded' | 'scale';

export type Unit = 'ms' | 's' | 'MB' | 'MB/s' | 'per s' | 'calls' | 'commits';

/** What is promised, of the ratio to the floor or of the product's own middle figure. */
export type Target = { of: 'ratio' | 'product'; atMost: number } | { of: 'ratio' | 'product'; atLeast: number };

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
};

/** A line from the samples of its sides. */
export function compare(
  line: Pick<Result, 'what' | 'unit' | 'target' | 'floorIs'>,
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

function measuredOf(result: Result, target: Target): number {
  const measured = target.of === 'ratio' ? ratioOf(result) : result.product.p50;
  if (measured === undefined) throw new Error(`${result.what} has a target and nothing to hold it against.`);
  return measured;
}

export function isMissed(result: Result): boolean {
  const { target } = result;
  if (!target) return false;
  const measured = measuredOf(result, target);
  return 'atMost' in target ? !(measured <= target.atMost) : !(measured >= target.atLeast);
}

/** A line this near to its bound, on either side, may be on the other in the next run. */
const LINE_SHARE = 0.05;

export function isOnTheLine(result: Result): boolean {
  const { target } = result;
  if (!target) return false;
  const bound = 'atMost' in target ? target.atMost : target.atLeast;
  return Math.abs(measuredOf(result, target) - bound) <= bound * LINE_SHARE;
}

function formatVerdict(result: Result): string {
  if (!result.target) return '';
  const verdict = isMissed(result) ? 'MISSED' : 'held';
  return isOnTheLine(result) ? `${verdict}, on the line` : verdict;
}

const inFigures = (value: number): string => value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);

export const formatFigure = (value: number, unit: Unit): string => `${inFigures(value)} ${unit}`;

/** `12.3 ms (11.0–15.2)`; one sample has no ends. */
export function formatSummary({ p50, min, max, count }: Summary, unit: Unit): string {
  const middle = formatFigure(p50, unit);
  return count === 1 ? middle : `${middle} (${inFigures(min)}–${inFigures(max)})`;
}

export function formatTarget({ target, unit }: Result): string {
  if (!target) return '';
  const bound = 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
  return target.of === 'ratio' ? `${bound} ×` : `${bound} ${unit}`;
}

const formatRatio = (ratio: number | undefined): string => (ratio === undefined ? '' : `${ratio.toFixed(2)} ×`);

const HEAD = ['measured', 'product', 'floor', 'ratio', 'least durable', 'ratio', 'target', ''];

export function toRows(results: readonly Result[]): string[][] {
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

/** What was missed, one sentence each. */
export function describeMisses(results: readonly Result[]): string[] {
  return results.filter(isMissed).map((result) => {
    const measured =
      result.target?.of === 'ratio' ? formatRatio(ratioOf(result)) : formatSummary(result.product, result.unit);
    return `Missed: ${result.what}: ${measured}, target ${formatTarget(result)}`;
  });
}
