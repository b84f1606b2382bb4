import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AgentSpec } from '../../driver.ts';
import type { AgentUsers } from '../../users/agent-users.ts';
import { startBoxed } from './boxed-start.ts';

const script = fileURLToPath(new URL('hostile-agent.py', import.meta.url));

export type Attack = {
  folder: string;
  sandbox: AgentSpec['sandbox'];
  /** The targets of the attack, as `hostile-agent.py` reads them. */
  targets: Readonly<Record<string, unknown>>;
  users?: AgentUsers | undefined;
  rest?: Partial<AgentSpec>;
};

/** Lets a hostile agent of this process, which is its gateway, try what it can; answers what it has reached. */
export async function attack({ folder, sandbox, targets, users, rest }: Attack): Promise<string[]> {
  const outcome = await startBoxed(['python3', script], { folder, sandbox, ...rest }, { users });
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  const { child } = outcome;
  child.stdin.end(JSON.stringify({ ...targets, gatewayPid: process.pid }));
  const said = await text(child.stdout);
  const exit = await child.exited;
  if (exit.exitCode !== 0) throw new Error(exit.diagnostic);
  return JSON.parse(said);
}
