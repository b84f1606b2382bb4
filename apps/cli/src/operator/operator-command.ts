import type { OperatorCommand, OperatorInput } from '@attache/contracts';
import { type Command, InvalidArgumentError } from 'commander';

/** The options of every command of the operator. */
export type Options = { json?: boolean };

/** Runs a command. What a person typed is checked against the command's schema before anything is opened. */
export async function run<C extends OperatorCommand>(name: C, input: object, options: Options): Promise<void> {
  const { runCommand } = await import('./run-command.ts');
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  await runCommand(name, given as OperatorInput<C>, { isJson: options.json === true });
}

export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export type Page = Options & { limit?: number; cursor?: string };

export const paged = (command: Command): Command =>
  forPrograms(command)
    .option('--limit <count>', 'at most so many', parseCount)
    .option('--cursor <cursor>', 'continue where an earlier page ended');

export const forPrograms = (command: Command): Command => command.option('--json', 'the whole answer, for programs');
