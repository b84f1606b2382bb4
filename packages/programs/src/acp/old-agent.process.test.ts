import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentSpec, DriverHooks } from '@attache/agent-process';
import { expect, it, onTestFinished } from 'vitest';
import { loadDriver } from '../load-drivers.ts';

const hooks: DriverHooks = {
  onOutput: async () => undefined,
  onDelta: () => undefined,
  onToolCall: async () => ({ decision: 'deny', reason: 'not in this test' }),
  onToolResult: async ({ content }) => content,
};

/** Starts a program that answers its first request so. */
async function startAnswering(answer: object) {
  const root = await mkdtemp(path.join(tmpdir(), 'attache-old-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const line = JSON.stringify({ jsonrpc: '2.0', id: 'initialize 1', ...answer });
  const driver = await loadDriver('acp', {
    inherited: { PATH: '/usr/bin:/bin' },
    redact: (text) => text,
    client: { name: 'test', version: '0' },
  });
  const spec: AgentSpec = {
    ...{
      agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA',
      folder: path.join(root, 'agent'),
      socketPath: '',
      token: `ata_${randomUUID()}`,
    },
    ...{ command: ['sh', '-c', 'read -r _; printf "%s\\n" "$1"; sleep 600', 'w', line], args: [], env: {} },
    ...{
      provider: 'none',
      model: 'default',
      modelTakes: {},
      permissionMode: 'gated',
      lineBytes: 1_000_000,
      turnMs: 90_000,
      startMs: 90_000,
      marker: 'old.1',
    },
  };
  const outcome = await driver.start(spec, hooks);
  return outcome.status === 'failed' ? outcome.failure : undefined;
}

it.each([
  ['of an older protocol', { result: { protocolVersion: 0 } }, 'delivery_agent_start_failed', 'protocol version 0'],
  ['that knows no such request', { error: { code: -32601, message: 'what?' } }, 'delivery_agent_start_failed', 'what?'],
  ['that is not signed in', { error: { code: -32000, message: 'sign in' } }, 'delivery_agent_auth_required', 'sign in'],
])('an agent %s does not start, and says why', async (_title, answer, code, words) => {
  expect(await startAnswering(answer)).toMatchObject({ code, diagnostic: expect.stringContaining(words) });
});
