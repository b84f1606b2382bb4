import type { ReceiptItem } from '@attache/contracts';
import type { InstalledRuntime } from '../agents-stack.ts';
import { nameProgram } from './page-table.ts';

/** Observations of a program behind the relay. */
export type SeenOnWire = {
  /** The receipt's item for a picture that the model took. */
  taken: ReceiptItem | undefined;
  /** How many turns failed, by the way of the refusal. */
  failedTurns: Map<string, number>;
  /** Whether a refused picture came again, and a text went out in its place. */
  isSentAgain: boolean;
};

const byItself = {
  resent: 'sends it again with every turn',
  gone: 'leaves its turn out of what follows',
  'taken-out': 'drops it, and asks again in the same turn',
} as const;

/** As a row of the page's table. */
export function composeWireRow(runtime: InstalledRuntime, { taken, failedTurns, isSentAgain }: SeenOnWire): string {
  const cells = [
    taken?.proof === 'wire' ? '`wire`' : 'none',
    taken?.wire === undefined ? 'not seen' : taken.wire.altered ? 'other bytes' : 'the same bytes',
    byItself[runtime.refusedPicture],
    isSentAgain ? 'a text in its place' : 'nothing of it',
    [...failedTurns].map(([name, count]) => `${name}: ${count}`).join('; '),
  ];
  return `| ${nameProgram(runtime)} | behind the relay | ${cells.join(' | ')} |`;
}
