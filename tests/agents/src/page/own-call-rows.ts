import type { InstalledRuntime } from '../agents-stack.ts';
import { nameProgram } from './page-table.ts';

/** `ran`: something came back to the model or was made. `stopped`: by the gate. `nothing`: the program has no such tool, or refused it itself. */
export type OwnCallOutcome = 'ran' | 'stopped' | 'nothing';
export type OwnCallOutcomes = Record<'commands' | 'tools', Map<string, OwnCallOutcome>>;

const kinds = [
  ['ran', 'ran all the same'],
  ['stopped', 'stopped at the gate'],
  ['nothing', 'brought nothing'],
] as const;

/** The names of those that ended so, in the order in which they were tried. */
export function listByOutcome(outcomes: ReadonlyMap<string, OwnCallOutcome>, outcome: OwnCallOutcome): string[] {
  return [...outcomes].filter(([, each]) => each === outcome).map(([name]) => name);
}

/** The results of one program, as rows of the page's table of own calls. */
export function composeOwnCallRows(runtime: InstalledRuntime, { commands, tools }: OwnCallOutcomes): string[] {
  return kinds.map(([outcome, words]) => {
    const cells = [commands, tools].map((each) => {
      const names = listByOutcome(each, outcome);
      return names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', ');
    });
    return `| ${nameProgram(runtime)} | ${words} | ${cells.join(' | ')} |`;
  });
}
