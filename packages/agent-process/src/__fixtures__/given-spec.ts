import type { AgentSpec } from '../driver.ts';

/** An agent of a profile that says nothing. */
export function givenSpec(rest: Partial<AgentSpec> = {}): AgentSpec {
  return {
    agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA',
    command: ['program'],
    args: [],
    env: {},
    folder: '/data/agents/agt',
    socketPath: '/tmp/a/s',
    token: 'ata_token-of-the-agent',
    provider: 'someone',
    model: 'default',
    modelTakes: {},
    permissionMode: 'gated',
    lineBytes: 1_000_000,
    turnMs: 1_000,
    startMs: 1_000,
    marker: 'replica.1',
    ...rest,
  };
}
