import { readdir, readFile } from 'node:fs/promises';
import { type Result, ratioOf, type Stack } from './result.ts';

/** One line of a kept run. */
type Kept = Pick<Result, 'what' | 'product'> & { ratio?: number };
export type KeptRun = {
  startedAt: string;
  isQuick: boolean;
  /** The one measurement of the run; all of them if undefined. */
  only?: string;
  results: Partial<Record<Stack, Kept[]>>;
};

/** Below this the two runs say the same. */
const DRIFT_SHARE = 0.1;

/** The newest kept run of all measurements of these stacks that was no quick one; undefined if there is none. */
export async function findLastRun(folder: string, stacks: readonly string[]): Promise<KeptRun | undefined> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  for (const name of names.toReversed()) {
    const run = JSON.parse(await readFile(`${folder}/${name}`, 'utf8')) as KeptRun;
    const isWhole = !run.isQuick && run.only === undefined;
    if (isWhole && stacks.every((stack) => run.results[stack as Stack] !== undefined)) return run;
  }
  return undefined;
}

const formatChange = (now: number, then: number): string => {
  const percent = Math.round((now / then - 1) * 100);
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`;
};

/**
 * Lists the measurements whose ratio differs from a kept run's by a tenth or more, and those that the kept run does not have. Without a floor the
 * product's own figure counts. Two runs may come from two machines: only a ratio is a figure of the product alone.
 */
export function describeDrift(results: Partial<Record<Stack, readonly Result[]>>, last: KeptRun): string[] {
  const before = keyByName(last.results);
  const now = [...keyByName(results)];
  const known = now.flatMap(([name, result]) => {
    const kept = before.get(name);
    return kept === undefined ? [] : [{ name, line: describeLine(result, kept) }];
  });
  const drifted = known.filter(({ line }) => line !== undefined);
  const added = now.filter(([name]) => !before.has(name));
  const sameCount = known.length - drifted.length;
  return [
    `Compared with the run of ${last.startedAt.slice(0, 16)}: ${drifted.length} differ by a tenth or more, ${sameCount} do not, ${added.length} are new.`,
    ...drifted.map(({ name, line }) => `  ${name}: ${line}`),
    ...added.map(([name]) => `  new: ${name}`),
  ];
}

/** Several measurements of a stack may have one name ("the same, …"): their order distinguishes them. */
export function keyByName<T extends { what: string }>(results: Partial<Record<Stack, readonly T[]>>): Map<string, T> {
  const keyed = new Map<string, T>();
  for (const [stack, list] of Object.entries(results)) {
    for (const result of list) {
      const name = `${stack}: ${result.what}`;
      let key = name;
      for (let count = 2; keyed.has(key); count += 1) key = `${name} (${count})`;
      keyed.set(key, result);
    }
  }
  return keyed;
}

function describeLine(result: Result, kept: Kept): string | undefined {
  const ratio = ratioOf(result);
  const [now, then] =
    ratio === undefined || kept.ratio === undefined ? [result.product.p50, kept.product.p50] : [ratio, kept.ratio];
  if (Math.abs(now / then - 1) < DRIFT_SHARE) return undefined;
  const own = `${formatChange(result.product.p50, kept.product.p50)} by itself`;
  if (ratio === undefined || kept.ratio === undefined) return own;
  return `ratio ${kept.ratio.toFixed(2)} → ${ratio.toFixed(2)} (${formatChange(now, then)}), ${own}`;
}
