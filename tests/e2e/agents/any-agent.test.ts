// hosted: long – the relay is the gateway's in both stacks; on the hosted stack a key is read in secrets.test.ts, too
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitCarried, findProcessesIn, makePng, scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type ModelProvider, startModelProvider } from '../steps/model-provider.ts';
import { takeTurn } from '../steps/turns.ts';

const key = `mine!${randomBytes(24).toString('hex')}`;
let folder: string;
let provider: ModelProvider;
let stack: OwnStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-any-agent-'));
  await writeFile(join(folder, 'key'), key);
  provider = await startModelProvider();
  // Of this program nothing is known but the protocol.
  const command = [process.execPath, scriptedAgent];
  const program = { runtime: 'acp', command, ownTools: 'none' } as const;
  const env = { ANTHROPIC_BASE_URL: '{baseUrl}', ANTHROPIC_API_KEY: '{key}', ANTHROPIC_MODEL: '{model}' };
  const endpoint = { api: 'anthropic', baseUrl: provider.url, apiKey: `file:${join(folder, 'key')}`, env } as const;
  const relayed = { ...program, provider: 'someone', model: 'model-1', endpoint, capability: { image: true } };
  stack = await openOwnStack({ profiles: { relayed } });
  await awaitCarried(stack.api, ['relayed']);
});
afterAll(async () => {
  await stack?.stop();
  await provider?.stop();
  await rm(folder, { recursive: true });
});

async function readFiles(place: string): Promise<string> {
  const found = await readdir(place, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join(' ');
}

it('an agent of which only the protocol is known asks its model by the relay, holds no key, and what it was sent is proven on the wire [BX-23 BX-24]', async () => {
  const place = await stack.api.createSession({ profile: 'relayed', model: 'model-1' });
  const png = makePng(40, 30);
  const { attachment } = await stack.api.upload(place.session.id, png, { name: 'a.png', type: 'image/png' });
  await stack.api.inspected(attachment.id);
  const { delivery, answer } = await takeTurn(stack.api, place, 'do: show-model keep', [attachment.id]);
  expect({ answer, status: delivery.status }).toEqual({ answer: '[200]', status: 'responded' });
  expect(delivery.receipt?.items).toMatchObject([{ verdict: 'delivered', proof: 'wire' }]);
  expect(provider.keys).toEqual([key]);
  expect(JSON.parse(provider.bodies[0] ?? '')).toMatchObject({ model: 'model-1' });
  const own = stack.agentFolder(place.agent.id);
  const given = (await (await findProcessesIn(own)).readGiven()).join(' ');
  expect(given).toContain('ANTHROPIC_API_KEY=');
  expect(`${given} ${await readFiles(own)}`).not.toContain(key);
});
