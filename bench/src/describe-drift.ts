import { readdir, readFile } from 'node:fs/promises';
import { type Result, ratioOf, type Stack } from './result.ts';

/** What a kept run says of one line. */
type Kept = Pick<Result, 'what' | 'product'> & { ratio?: number };
export type KeptRun = { startedAt: string; isQuick: boolean; results: Partial<Record<Stack, Kept[]>> };

/** Below this the two runs say the same. */
const DRIFT_SHARE = 0.1;

/** The newest kept run of all measurements of these stacks that was no quick one; undefined where there is none. */
export async function findLastRun(folder: string, stacks: readonly string[]): Promise<KeptRun | undefined> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  for (const name of names.toReversed()) {
    const run = JSON.parse(await readFile(`${folder}/${name}`, 'utf8')) as KeptRun & { only?: string };
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
 * What has changed since a kept run, a line for each measurement whose ratio, or whose own figure where it has no floor, is another by a tenth. The
 * product's own figures come from two runs of one machine or of two: only a ratio speaks of the product.
 */
export function describeDrift(results: Partial<Record<Stack, readonly Result[]>>, last: KeptRun): string[] {
  const drifted: string[] = [];
  let sameCount = 0;
  const missing: string[] = [];
  for (const [stack, list] of Object.entries(results)) {
    for (const result of list) {
      const kept = last.results[stack as Stack]?.find(({ what }) => what === result.what);
      if (kept === undefined) missing.push(`${stack}: ${result.what}`);
      else {
        const line = describeLine(result, kept);
        if (line === undefined) sameCount += 1;
        else drifted.push(`  ${stack}: ${line}`);
      }
    }
  }
  return [
    `Against the run of ${last.startedAt.slice(0, 16)}: ${drifted.length} drifted by a tenth or more, ${sameCount} did not, ${missing.length} are new.`,
    ...drifted,
    ...missing.map((name) => `  new: ${name}`),
  ];
}

function describeLine(result: Result, kept: Kept): string | undefined {
  const ratio = ratioOf(result);
  const [now, then] =
    ratio === undefined || kept.ratio === undefined ? [result.product.p50, kept.product.p50] : [ratio, kept.ratio];
  if (Math.abs(now / then - 1) < DRIFT_SHARE) return undefined;
  const own = `${formatChange(result.product.p50, kept.product.p50)} by itself`;
  if (ratio === undefined || kept.ratio === undefined) return `${result.what}: ${own}`;
  return `${result.what}: ratio ${kept.ratio.toFixed(2)} → ${ratio.toFixed(2)} (${formatChange(now, then)}), ${own}`;
}
