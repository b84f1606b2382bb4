import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Profile, profileSchema, uuidFromId } from '@attache/contracts';
import type { ModelUse } from '@attache/database';
import { startModelRelay } from '@attache/model-relay';
import { createLogger } from '@attache/telemetry';
import { expect, it, onTestFinished } from 'vitest';
import { openTurn } from '../output/output-sink.ts';
import { createTurnSlot } from '../output/turn-slot.ts';
import type { UseLedger } from '../use/use-ledger.ts';
import { openRelay } from './open-relay.ts';

const agentId = 'agt_ABEiM0RVZneImaq7zN3u_w';
const key = 'sk-key-of-the-operator';

/** A model API on loopback, and the requests to it. */
async function startProvider() {
  const asked: IncomingHttpHeaders[] = [];
  const limits = {
    retryAfter: undefined as string | undefined,
    answer: '{"usage":{"input_tokens":7,"output_tokens":2}}',
  };
  const server = createServer((request, response) => {
    asked.push(request.headers);
    if (limits.retryAfter !== undefined) response.writeHead(429, { 'retry-after': limits.retryAfter });
    request.resume().on('end', () => response.end(limits.answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, limits, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function open(
  given: Partial<NonNullable<Profile['endpoint']>> = {},
  model = 'model-1',
  sandbox: Partial<Profile> = {},
) {
  const { asked, limits, baseUrl } = await startProvider();
  const lines: { msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ service: 'test', level: 'warn', redact: (text) => text, destination });
  const relay = await startModelRelay({ log });
  onTestFinished(() => relay.stop());
  const variables: Record<string, string | undefined> = { KEY: key };
  const runtimeFolder = await mkdtemp(join(tmpdir(), 'attache-run-'));
  onTestFinished(() => rm(runtimeFolder, { recursive: true }));
  const settings = { runtimeFolder, sandbox: 'none', readVariable: (name: string) => variables[name] } as Parameters<
    typeof openRelay
  >[0]['settings'];
  const profile = profileSchema.parse({
    ...{ runtime: 'claude-stream-json', command: ['claude'], provider: 'anthropic' },
    endpoint: { api: 'anthropic', baseUrl, apiKey: 'env:KEY', ...given },
    ...sandbox,
  });
  const turns = createTurnSlot();
  const turn = openTurn({ deliveryId: 'dlv_ABEiM0RVZneImaq7zN3u_w', trace: undefined });
  turns.setTurn(turn);
  const owner = {
    session: { tenantId: 'tenant', sessionId: 'session' },
    agentId,
    epoch: 1,
    provider: 'anthropic',
    model,
    turns,
  } as const;
  const used: [string, ModelUse][] = [];
  const quota: { waitSeconds: number | undefined } = { waitSeconds: undefined };
  const use: UseLedger = {
    note: (tenantId, each) => void used.push([tenantId, each]),
    findWait: () => quota.waitSeconds,
    stop: async () => {},
  };
  const none = {
    db: undefined as never,
    ownership: { identity: { replicaId: 'gateway' } } as never,
    secretKeys: [],
    use,
    connections: { admit() {} },
  };
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
    used,
    quota,
    limits,
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

it('gives a sandboxed program a port of its own loopback, and a socket behind that [BX-22 BX-24]', async () => {
  const sandbox = { mode: 'bubblewrap', network: 'relay', readOnly: [] } satisfies Profile['sandbox'];
  const { opened } = await open({}, 'model-1', { sandbox });
  expect(opened.endpoint.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:8087\/agt_/);
  expect(existsSync(opened.socketPath ?? '')).toBe(true);
  opened.close();
  expect(existsSync(opened.socketPath ?? '')).toBe(false);
  expect((await open()).opened.socketPath).toBeUndefined();
});

it('reads the key at each request, so that a changed one is used by the next', async () => {
  const { ask, asked, variables, logged } = await open();
  variables.KEY = 'sk-changed';
  await ask();
  expect(asked).toMatchObject([{ 'x-api-key': 'sk-changed' }]);
  variables.KEY = undefined;
  expect(await ask()).toBe(401);
  expect(asked).toHaveLength(1);
  // This is the operator's matter, and no refusal of the program's request.
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

it('keeps what its provider counted for the tenant, under a limited number of models', async () => {
  const { ask, used } = await open({}, 'default');
  await ask('a\ud800');
  await expect
    .poll(() => used)
    .toMatchObject([
      [
        'tenant',
        {
          ...{ sessionId: 'session', agentId: uuidFromId(agentId), provider: 'anthropic', model: 'a\ufffd' },
          ...{ requests: 1, uncountedRequests: 0, inputTokens: 7, cachedInputTokens: 0, outputTokens: 2 },
        },
      ],
    ]);
  for (let index = 0; index < 40; index += 1) await ask(`model-${index}`);
  await expect.poll(() => used.length).toBe(41);
  expect(new Set(used.map(([, { model }]) => model)).size).toBe(33);
  expect(used.at(-1)?.[1].model).toBe('other');
});

it('counts a request whose provider counts nothing by an estimate, so that a limit holds', async () => {
  const { ask, limits, used } = await open();
  limits.answer = '{"content":[]}';
  expect(await ask()).toBe(200);
  await expect
    .poll(() =>
      used.map(([, { inputTokens, outputTokens, uncountedRequests }]) => [
        inputTokens,
        outputTokens,
        uncountedRequests,
      ]),
    )
    .toEqual([[Math.ceil('{"model":"model-1","messages":[]}'.length / 3), Math.ceil(limits.answer.length / 3), 1]]);
});

it('refuses a tenant whose tokens of the day are used, and logs no fault of its program', async () => {
  const { ask, asked, quota, used, logged } = await open();
  quota.waitSeconds = 60;
  expect([await ask(), asked.length]).toEqual([429, 0]);
  quota.waitSeconds = undefined;
  expect(await ask()).toBe(200);
  await expect.poll(() => used.length).toBe(1);
  expect(logged()).toEqual([]);
});

it('lets no request wait for its provider longer than its turn runs', async () => {
  const { ask, asked, limits, turn, turns } = await open();
  limits.retryAfter = '60';
  expect(await ask()).toBe(429);
  const held = ask();
  await expect.poll(() => turn.waitCount).toBe(1);
  turns.endTurn(turn);
  expect([await held, asked.length]).toEqual([429, 1]);
  // A turn that has to end before the provider takes requests again.
  turns.setTurn(turn);
  turn.endsAtMs = performance.now() + 1_000;
  expect([await ask(), asked.length, turn.waitCount]).toEqual([429, 1, 1]);
});
