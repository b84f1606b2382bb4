import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Profile, profileSchema } from '@attache/contracts';
import { startModelRelay } from '@attache/model-relay';
import { createLogger } from '@attache/telemetry';
import { expect, it, onTestFinished } from 'vitest';
import { openTurn } from '../output/output-sink.ts';
import { createTurnSlot } from '../output/turn-slot.ts';
import { openRelay } from './open-relay.ts';

const agentId = 'agt_ABEiM0RVZneImaq7zN3u_w';
const key = 'sk-key-of-the-operator';

/** A model API on loopback, and what asked it. */
async function startProvider() {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function open(given: Partial<NonNullable<Profile['endpoint']>> = {}, model = 'model-1') {
  const { asked, baseUrl } = await startProvider();
  const lines: { msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ service: 'test', level: 'warn', redact: (text) => text, destination });
  const relay = await startModelRelay({ log });
  onTestFinished(() => relay.stop());
  const variables: Record<string, string | undefined> = { KEY: key };
  const settings = { readVariable: (name: string) => variables[name] } as Parameters<typeof openRelay>[0]['settings'];
  const profile = profileSchema.parse({
    ...{ runtime: 'claude-stream-json', command: ['claude'], provider: 'anthropic' },
    endpoint: { api: 'anthropic', baseUrl, apiKey: 'env:KEY', ...given },
  });
  const turns = createTurnSlot();
  const turn = openTurn({ deliveryId: 'dlv_ABEiM0RVZneImaq7zN3u_w', trace: undefined });
  turns.setTurn(turn);
  const owner = {
    tenantId: 'tenant',
    agentId,
    epoch: 1,
    model,
    turns,
  } as const;
  const none = { db: undefined as never, secretKeys: [] };
  const opened = await openRelay({ ...none, relay, settings, log }, profile, owner);
  if (opened === undefined) throw new Error('no relay was opened');
  const ask = async (wanted = 'model-1') => {
    const { baseUrl: url, apiKey = '' } = opened.endpoint;
    const body = JSON.stringify({ model: wanted, messages: [] });
    const answer = await fetch(`${url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': apiKey }, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  return {
    asked,
    variables,
    turn,
    turns,
    opened,
    ask,
    logged: () => lines.filter(({ msg }) => msg === 'relay.refused'),
  };
}

it('gives a program an address on loopback and a token in the place of its key [BX-24]', async () => {
  const { opened, ask, asked } = await open();
  expect(opened.endpoint).toMatchObject({
    ...{ api: 'anthropic', baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/agt_/) },
    ...{ apiKey: expect.stringMatching(/^atr_[\w-]{43}$/), serverTools: [] },
  });
  expect(JSON.stringify(opened.endpoint)).not.toContain(key);
  expect(await ask()).toBe(200);
  expect(asked).toMatchObject([{ 'x-api-key': key }]);
});

it('reads the key at each request, so that a changed one is used by the next', async () => {
  const { ask, asked, variables, logged } = await open();
  variables.KEY = 'sk-changed';
  await ask();
  expect(asked).toMatchObject([{ 'x-api-key': 'sk-changed' }]);
  variables.KEY = undefined;
  expect(await ask()).toBe(401);
  expect(asked).toHaveLength(1);
  // The operator's matter, and no refusal of what the program asks.
  expect(logged()).toEqual([]);
});

it('says that a key is missing before anything is open [DL-57]', async () => {
  await expect(open({ apiKey: 'env:NOWHERE' })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
});

it('lets the model of the target pass, and those that the profile names; a refusal is logged once', async () => {
  const { ask, asked, logged } = await open({ models: ['small-1'] });
  expect([await ask('model-1'), await ask('small-1'), await ask('large-1'), await ask('large-1')]).toEqual([
    ...[200, 200, 403, 403],
  ]);
  expect(asked).toHaveLength(2);
  await expect.poll(logged).toMatchObject([{ refused: 'relay_model_refused', model: 'large-1', agentId, epoch: 1 }]);
});

it('lets any model pass where the target leaves it to the program, unless the profile names some', async () => {
  expect(await (await open({}, 'default')).ask('whatever')).toBe(200);
  const named = await open({ models: ['small-1'] }, 'default');
  expect([await named.ask('small-1'), await named.ask('whatever')]).toEqual([200, 403]);
});

it('passes nothing on between turns that is no errand of the program, and nothing once it is closed', async () => {
  const { ask, turn, turns, opened } = await open();
  turns.endTurn(turn);
  expect(await ask()).toBe(403);
  turns.setTurn(turn);
  opened.close();
  expect(await ask()).toBe(401);
});
