import {
  Fault,
  type OperatorCommand,
  type OperatorInput,
  type OperatorOutput,
  operatorCommands,
} from '@attache/contracts';
import { contradict, listContradictions, restoreCapability } from './capability/capability-commands.ts';
import { listDead, replayAllDead, replayDead } from './dead-commands.ts';
import { drainGateway, listAllGateways } from './gateway/gateway-commands.ts';
import { listSessions, moveSession, unpark } from './gateway/session-commands.ts';
import { runCollection } from './gc-command.ts';
import { createKey, listKeys, revokeKey, rotateOneKey } from './key-commands.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { rewrapSecrets } from './secret-command.ts';
import {
  createTenant,
  endTenantUrls,
  listTenantsByName,
  restore,
  rotateTenant,
  setTenant,
  suspend,
} from './tenant-commands.ts';

type Run<C extends OperatorCommand> = (deps: OperatorDeps, input: OperatorInput<C>) => Promise<OperatorOutput<C>>;

const commands: { readonly [C in OperatorCommand]: Run<C> } = {
  'tenant.create': createTenant,
  'tenant.list': listTenantsByName,
  'tenant.set': setTenant,
  'tenant.endUrls': endTenantUrls,
  'tenant.revoke': suspend,
  'tenant.restore': restore,
  'tenant.rotate': rotateTenant,
  'key.create': createKey,
  'key.list': listKeys,
  'key.rotate': rotateOneKey,
  'key.revoke': revokeKey,
  'dead.list': listDead,
  'dead.replay': replayDead,
  'dead.replayAll': replayAllDead,
  'secret.rewrap': rewrapSecrets,
  'capability.contradict': contradict,
  'capability.restore': restoreCapability,
  'capability.list': listContradictions,
  'gateway.list': listAllGateways,
  'gateway.drain': drainGateway,
  'session.list': listSessions,
  'session.move': moveSession,
  'session.unpark': unpark,
  'gc.run': runCollection,
};

export const isOperatorCommand = (name: string): name is OperatorCommand => Object.hasOwn(operatorCommands, name);

/** The input of a command, checked; what does not fit is an `INVALID_REQUEST` that says where. */
export function parseOperatorInput<C extends OperatorCommand>(name: C, input: unknown): OperatorInput<C> {
  const parsed = operatorCommands[name].input.safeParse(input);
  if (parsed.success) return parsed.data as OperatorInput<C>;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.') || name} ${message}`);
  throw new Fault('INVALID_REQUEST', `${faults.join('; ')}.`);
}

/** Runs one command of the operator on the database, and the blob store where it needs one. */
export function runOperatorCommand<C extends OperatorCommand>(
  deps: OperatorDeps,
  name: C,
  input: OperatorInput<C>,
): Promise<OperatorOutput<C>> {
  return (commands[name] as Run<C>)(deps, parseOperatorInput(name, input));
}
