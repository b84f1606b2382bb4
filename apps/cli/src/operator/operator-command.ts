import type { OperatorCommand, OperatorInput } from '@attache/contracts';
import type { Command } from 'commander';

/** Of every command of the operator. */
export type Options = { json?: boolean };

/** Runs a command. What a person typed is checked against the command's schema before anything is opened. */
export async function run<C extends OperatorCommand>(name: C, input: object, options: Options): Promise<void> {
  const { runCommand } = await import('./run-command.ts');
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  await runCommand(name, given as OperatorInput<C>, { isJson: options.json === true });
}

export const forPrograms = (command: Command): Command => command.option('--json', 'the whole answer, for programs');
