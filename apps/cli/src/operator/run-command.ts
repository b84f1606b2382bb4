import type { OperatorCommand, OperatorInput } from '@attache/contracts';
import { reachOperator } from '../reach-operator.ts';
import { isColorWanted } from './config.ts';
import { formatTable } from './format-table.ts';
import { showOutput } from './show-output.ts';

/** Runs a command and prints its answer: a table for people, or the whole of it as JSON. Notes go to standard error. */
export async function runCommand<C extends OperatorCommand>(
  name: C,
  input: OperatorInput<C>,
  options: { isJson: boolean },
): Promise<void> {
  const output = await reachOperator(name, input);
  if (options.isJson) {
    process.stdout.write(`${JSON.stringify(output, null, 2)}\n`);
    return;
  }
  const { table, notes } = showOutput(name, output);
  const lines = formatTable(table, isColorWanted(process.stdout.isTTY === true));
  process.stdout.write(`${lines.join('\n')}\n`);
  for (const note of notes) process.stderr.write(`${note}\n`);
}
