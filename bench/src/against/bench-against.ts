import type { Stack } from '../report/result.ts';
import { checkoutCommit } from './checkout-commit.ts';
import { measureTree } from './measure-tree.ts';
import { formatPairs, type Measured, type PairedRow, pairRows } from './pair-rows.ts';

export type Comparison = {
  root: string;
  commit: string;
  measurements: readonly { stack: Stack; name: string }[];
  isQuick: boolean;
  /** How often each tree is measured. */
  turns: number;
  /** Only rows whose name holds this text. */
  rows: string | undefined;
  signal: AbortSignal;
  say(line: string): void;
};

/**
 * Measures this tree and a commit in turn, measurement by measurement (here, there, there, here), so that a disturbance of the machine meets both. Returns
 * the rows that are worse here.
 */
export async function benchAgainst(comparison: Comparison): Promise<PairedRow[]> {
  const { root, say, rows } = comparison;
  say(`Checking out ${comparison.commit} and installing its packages …`);
  await using there = await checkoutCommit(root, comparison.commit);
  const paired: PairedRow[] = [];
  for (const measurement of comparison.measurements) {
    paired.push(...(await measureBoth({ here: root, there: there.folder }, measurement, comparison)));
  }
  const shown = paired.filter(({ name }) => rows === undefined || name.includes(rows));
  process.stdout.write(`\n${formatPairs(shown, there.commit)}`);
  return shown.filter(({ isWorse }) => isWorse);
}

async function measureBoth(
  folders: Record<'here' | 'there', string>,
  { stack, name }: Comparison['measurements'][number],
  { isQuick, turns, signal, say }: Comparison,
): Promise<PairedRow[]> {
  const measured: Record<'here' | 'there', Measured[]> = { here: [], there: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    for (const side of turn % 2 === 0 ? (['here', 'there'] as const) : (['there', 'here'] as const)) {
      say(`${stack}: ${name}, ${side}, turn ${turn + 1} of ${turns}`);
      measured[side].push(await measureTree(folders[side], { stack, measurement: name, isQuick, signal }));
    }
  }
  return pairRows(measured);
}
