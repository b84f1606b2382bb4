// hosted: long – the relay is the gateway's in both stacks; on the hosted stack a key is read in secrets.test.ts, too
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import type { Delivery } from '@attache/contracts';
import { awaitCarried, findProcessesIn, makePng, scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type ModelProvider, startModelProvider } from '../steps/model-provider.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

const works = await whereSandboxed();
const key = `mine!${randomBytes(24).toString('hex')}`;
let folder: string;
let provider: ModelProvider;
let stack: OwnStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-any-agent-'));
  await writeFile(join(folder, 'key'), key);
  provider = await startModelProvider();
  // A program of which nothing is known but the protocol.
  const command = [process.execPath, scriptedAgent];
  const env = { ANTHROPIC_BASE_URL: '{baseUrl}', ANTHROPIC_API_KEY: '{key}', ANTHROPIC_MODEL: '{model}' };
  const endpoint = { api: 'anthropic', baseUrl: provider.url, apiKey: `file:${join(folder, 'key')}`, env } as const;
  const given = {
    runtime: 'acp',
    provider: 'someone',
    model: 'model-1',
    endpoint,
    capability: { image: true },
  } as const;
  const relayed = { ...given, command, ownTools: 'none' } as const;
  // A program whose own tools read files, by the name behind it.
  const armed = { ...given, command: [...command, 'claude-agent-acp'], permissionMode: 'gated' };
  const sandbox = { mode: 'bubblewrap' as const, network: { allow: ['api.example.com:443'] } };
  const proxied = { runtime: 'acp', command, ownTools: 'none', sandbox } as const;
  stack = await openOwnStack({ profiles: { relayed, armed, ...(works && { proxied }) } });
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

/** The warning of a delivery that was answered. */
async function warningOf({ session }: Place, { id }: Delivery): Promise<unknown> {
  const events = await stack.api.events(session.id);
  return events.find(({ kind, data }) => kind === 'delivery.responded' && data.deliveryId === id)?.data.diagnostic;
}

it('its turn that ends well without a model is answered with a warning, and so is one whose model answers nothing [DL-58]', async () => {
  const place = await stack.api.createSession({ profile: 'relayed', model: 'model-1' });
  const warned = async (text: string) => {
    const { delivery } = await takeTurn(stack.api, place, text);
    return [delivery.status, await warningOf(place, delivery)];
  };
  const unasked = { code: 'delivery_runtime_transport_failed', severity: 'warning', retryable: false };
  const none = { ...unasked, diagnostic: 'no request of the turn left for its model' };
  expect(await warned('do: see /nothing')).toMatchObject(['responded', none]);
  expect(await warned('do: ask-model')).toEqual(['responded', undefined]);
  provider.behave((response) => response.writeHead(500).end('{}'));
  const refused = { ...unasked, diagnostic: 'the model API accepted no request of the turn' };
  expect(await warned('do: ask-model')).toMatchObject(['responded', refused]);
  provider.behave(undefined);
});

it.runIf(works)(
  'its turn is answered with a warning, too, where its sandbox saw no connection at all [DL-58]',
  async () => {
    const place = await stack.api.createSession({ profile: 'proxied', model: 'model-1' });
    const { delivery } = await takeTurn(stack.api, place, 'hello');
    expect(delivery.status).toBe('responded');
    expect(await warningOf(place, delivery)).toMatchObject({
      ...{ severity: 'warning', diagnostic: 'no connection left the sandbox during the turn' },
    });
  },
);

it('its program that never asks for our tools is named in the log once, and where a file can be opened by them alone [BX-17 DL-58]', async () => {
  const place = await stack.api.createSession({ profile: 'armed', model: 'model-1' });
  // An archive with nothing in it.
  const zip = Uint8Array.from([...Buffer.from('PK\x05\x06'), ...Buffer.alloc(18)]);
  const { attachment } = await stack.api.upload(place.session.id, zip, { name: 'a.zip', type: 'application/zip' });
  await stack.api.inspected(attachment.id);
  const say = async (text: string) => {
    const { delivery } = await takeTurn(stack.api, place, `${text}\ndo: ask-model`, [attachment.id]);
    return [delivery.status, delivery.plan.items[0]?.becomes, await warningOf(place, delivery)];
  };
  const unopened = { code: 'attachment_runtime_unsupported', diagnostic: expect.stringContaining('has not listed') };
  expect(await say('')).toMatchObject(['responded', 'tool', unopened]);
  expect(await say(`do: get-file ${attachment.id}`)).toEqual(['responded', 'tool', undefined]);
  const lines = stack.watch.logs().split('\n');
  const named = lines.filter((line) => line.includes('agent.tools_not_listed') && line.includes(place.agent.id));
  expect(named).toHaveLength(1);
});
