import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type AgentSpec, childMarker } from '@attache/agent-process';
import { exampleAgent } from '../../harness/src/stack/program.ts';

export const inherited = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, LANG: 'C.UTF-8' };

/** The owner of this process's agents. Other test files sweep at the same time, each its own. */
export const replica = `e2e-${process.pid}`;

/** The bundled example agent in `folder`. */
export function specOf(folder: string, rest: Partial<AgentSpec> = {}): AgentSpec {
  return {
    agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA',
    command: [process.execPath, exampleAgent],
    args: [],
    env: {},
    folder,
    socketPath: path.join(folder, 'none'),
    token: `ata_${randomUUID()}`,
    provider: 'example',
    model: 'default',
    modelTakes: {},
    permissionMode: 'gated',
    lineBytes: 64 * 1024 * 1024,
    turnMs: 90_000,
    startMs: 90_000,
    marker: childMarker({ replica, incarnation: '1' }),
    ...rest,
  };
}
