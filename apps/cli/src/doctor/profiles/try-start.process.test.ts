import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentDriver, AgentSpec } from '@attache/agent-process';
import { profileSchema } from '@attache/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { withWays } from './trial-ways.ts';
import { tryStart } from './try-start.ts';

/** A program that asks its model with these fields once it gets a message. */
function driverOf(fields: object): AgentDriver {
  const deliver = async ({ endpoint }: AgentSpec) => {
    const headers = { 'x-api-key': endpoint?.apiKey ?? '' };
    const body = JSON.stringify({ model: 'm', ...fields });
    await fetch(`${endpoint?.baseUrl}/v1/messages`, { method: 'POST', headers, body });
    return { status: 'responded', stopReason: 'end_turn', proof: '' } as const;
  };
  const agent = { declared: {}, programVersion: '3', resumeReference: undefined, stop: async () => {} };
  return {
    ...{ runtime: 'acp', traits: { takesFiles: false, isSelfDescribing: true } },
    start: async (spec) => ({ status: 'started', agent: { ...agent, deliver: () => deliver(spec) } as never }),
  };
}

async function tryWith(fields: object) {
  const folder = await mkdtemp(join(tmpdir(), 'attache-trial-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  let asked = 0;
  const provider = createServer((_, response) => {
    asked += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  onTestFinished(() => void provider.close());
  const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/gateway`;
  const profile = profileSchema.parse({
    ...{ runtime: 'acp', command: ['claude-agent-acp'], sandbox: { mode: 'none' } },
    endpoint: { api: 'anthropic', baseUrl, apiKey: 'env:NOWHERE' },
  });
  const start = await withWays({ sandbox: 'none' } as never, { profile, folder }, (ways, firstRequest) =>
    tryStart(driverOf(fields), ways as AgentSpec, firstRequest),
  );
  return { start, asked };
}

it('a program on trial asks an API that refuses everything, and its model API nothing', async () => {
  expect(await tryWith({ messages: [] })).toMatchObject({ start: { request: { status: 'passed' } }, asked: 0 });
});

it('a program on trial that sends a field which the relay does not know is told of, by its name', async () => {
  const request = { status: 'refused', code: 'relay_field_refused', field: 'messages[0].telepathy' };
  const { start } = await tryWith({ messages: [{ role: 'user', telepathy: {} }] });
  expect(start).toMatchObject({ status: 'started', request });
});
