import type { OperatorCommand, OperatorInput, OperatorOutput } from '@attache/contracts';
import { callOperatorSocket, operatorSocketPath, parseOperatorInput, runOperatorCommand } from '@attache/operator';
import { type OpenedStack, openEmbedded, openHosted } from './compose-operator.ts';
import { readOperatorConfig } from './operator/config.ts';
import { sayStack } from './say-stack.ts';

async function runOn<C extends OperatorCommand>(
  opened: OpenedStack,
  name: C,
  input: OperatorInput<C>,
): Promise<OperatorOutput<C>> {
  try {
    return await runOperatorCommand(opened.deps, name, input);
  } finally {
    await opened.close();
  }
}

/**
 * Runs a command of the operator where the stack is: on the hosted database if one is named; else through the socket of the
 * running embedded stack; else on its data folder, held for as long as that takes.
 */
export async function reachOperator<C extends OperatorCommand>(
  name: C,
  given: OperatorInput<C>,
): Promise<OperatorOutput<C>> {
  const input = parseOperatorInput(name, given);
  const config = readOperatorConfig();
  sayStack(config);
  if (config.kind === 'hosted') return runOn(await openHosted(config), name, input);
  const answer = await callOperatorSocket({ path: operatorSocketPath(config.dataDir), name, input });
  return answer ? answer.output : runOn(await openEmbedded(config.dataDir), name, input);
}
