// hosted: every – ingest seals and another process opens, each with a half of the key
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry, TenantSecret } from '@attache/contracts';
import { generateKey } from '@attache/secrets/generate-key';
import { type Api, type Canary, canaryOf, findCanaries, findProcessesIn, scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type ModelProvider, startModelProvider } from '../steps/model-provider.ts';
import { type Place, runScript, takeTurn } from '../steps/turns.ts';

// The program is a script by the name behind it: it is given a model API as that one is, and asks it when a message says so.
const program = [process.execPath, scriptedAgent, 'claude-agent-acp'];
const NAME = 'model-key';

let provider: ModelProvider;
let stack: OwnStack;
let place: Place;
const values: string[] = [];
const problems: string[] = [];
const told: string[] = [];
/** The logs of processes that have ended: a stack shows those of the present ones. */
const formerLogs: string[] = [];

beforeAll(async () => {
  provider = await startModelProvider();
  const endpoint = { api: 'anthropic', baseUrl: provider.url, apiKey: `tenant:${NAME}` } as const;
  // On the hosted stack a program is not offered of which nothing says how it is denied its tools.
  const ownTools = 'none';
  const keyed = {
    runtime: 'acp',
    command: program,
    ownTools,
    provider: 'anthropic',
    model: 'model-1',
    endpoint,
  } as const;
  stack = await openOwnStack({ logLevel: 'trace', tenants: ['other', 'third'], profiles: { keyed } });
  place = await openPlace(stack.api);
});
// The stack is stopped where the database is dumped; this is for a test that broke off before.
afterAll(async () => {
  await stack?.stop().catch(() => undefined);
  await provider?.stop();
});

const openPlace = (api: Api): Promise<Place> => api.createSession({ profile: 'keyed', model: 'model-1' });

/** A value of no shape that the guard before the log would recognise and remove. */
function newValue(): string {
  const value = `mine!${randomBytes(12).toString('hex')}!${randomBytes(12).toString('hex')}`;
  values.push(value);
  return value;
}

/** Calls and keeps the answer. */
async function call(api: Api, ...request: Parameters<Api['call']>) {
  const answer = await api.call(...request);
  (answer.status >= 400 ? problems : told).push(JSON.stringify([[...answer.headers], answer.body]));
  return answer;
}

const save = (api: Api, value = newValue()) => call(api, 'PUT', `/secrets/${NAME}`, { body: { value } });
const remove = (api: Api) => call(api, 'DELETE', `/secrets/${NAME}`);
const list = async (api: Api) => (await call(api, 'GET', '/secrets')).body.items as TenantSecret[];
const last = () => provider.keys.at(-1);

async function changeKeys(change: Parameters<OwnStack['changeSecretKeys']>[0]): Promise<void> {
  formerLogs.push(stack.watch.logs());
  await stack.changeSecretKeys(change);
}

async function auditOf(api: Api): Promise<string[]> {
  const { items } = (await call(api, 'GET', '/audit')).body as { items: AuditEntry[] };
  return items
    .filter(({ action }) => action.startsWith('secret.'))
    .map(({ action, data }) => `${action} ${data.version}`);
}

async function expectNoKey({ session, agent }: Place, api: Api): Promise<void> {
  const { delivery } = await takeTurn(api, { session, agent }, 'do: need-model');
  expect(delivery).toMatchObject({
    status: 'failed',
    failure: { code: 'delivery_agent_auth_required', userMessage: expect.stringContaining(`PUT /v1/secrets/${NAME}`) },
  });
  expect(delivery.timeline.map(({ status }) => status)).not.toContain('written');
  expect((await api.events(session.id)).map(({ kind }) => kind)).not.toContain('agent.started');
}

describe("a tenant's own key", () => {
  it('that is not saved starts nothing, and the failure says how to save it [DL-57]', async () => {
    await expectNoKey(place, stack.api);
    expect(provider.keys).toEqual([]);
  });

  it('that is saved reaches the provider, and no answer has it [BX-24]', async () => {
    const saved = await save(stack.api);
    expect(saved).toMatchObject({ status: 200, body: { secret: { name: NAME, version: 1 } } });
    expect(saved.body.secret).not.toHaveProperty('lastUsedAt');
    expect(await runScript(stack.api, place, ['ask-model'])).toEqual([200]);
    expect(last()).toBe(values[0]);
    expect(await list(stack.api)).toMatchObject([{ name: NAME, version: 1, lastUsedAt: expect.any(String) }]);
    expect(await auditOf(stack.api)).toEqual(['secret.used 1', 'secret.saved 1']);
  });

  it('is used by no other tenant, who has its own of the same name or none [S29]', async () => {
    const [other, third] = [stack.apiOf('other'), stack.apiOf('third')];
    await save(other);
    expect(await runScript(other, await openPlace(other), ['ask-model'])).toEqual([200]);
    expect(last()).toBe(values[1]);
    expect(await list(third)).toEqual([]);
    expect(await remove(third)).toMatchObject({ status: 404, body: { code: 'SECRET_NOT_FOUND' } });
    await expectNoKey(await openPlace(third), third);
    expect(await runScript(stack.api, place, ['ask-model'])).toEqual([200]);
    expect(last()).toBe(values[0]);
  });

  it('is nowhere with the program that uses it [BX-24]', async () => {
    expect(await runScript(stack.api, place, ['ask-model'])).toEqual([200]);
    const canaries = values.map((value) => canaryOf('a secret', value));
    const given = (await (await findProcessesIn(stack.agentFolder(place.agent.id))).readGiven()).join(' ');
    expect(given).toContain('ANTHROPIC_API_KEY=atr_');
    expect(findCanaries(given, canaries)).toEqual([]);
    expect(findCanaries(await readFolder(stack.agentFolder(place.agent.id)), canaries)).toEqual([]);
  });

  it('is another one with the next request once it was saved again; the program continues', async () => {
    const [before] = await runScript(stack.api, place, ['process']);
    expect((await save(stack.api)).body.secret).toMatchObject({ version: 2 });
    expect(await runScript(stack.api, place, ['ask-model', 'process'])).toEqual([200, before]);
    expect(last()).toBe(values.at(-1));
  });

  it('that is deleted is refused to a program that runs: its turn fails for the key [DL-57]', async () => {
    expect((await remove(stack.api)).status).toBe(204);
    const { length } = provider.keys;
    const { delivery } = await takeTurn(stack.api, place, 'do: need-model');
    expect(delivery).toMatchObject({ status: 'failed', failure: { code: 'delivery_agent_auth_required' } });
    expect(provider.keys).toHaveLength(length);
    expect(await remove(stack.api)).toMatchObject({ status: 404, body: { code: 'SECRET_NOT_FOUND' } });
    expect((await auditOf(stack.api))[0]).toBe('secret.deleted 2');
  });
});

describe('what is no secret', () => {
  const bodyOf = (method: string) => (method === 'PUT' ? { body: { value: newValue() } } : {});
  const put = (body: unknown, name = NAME) => call(stack.api, 'PUT', `/secrets/${name}`, { body });

  it.each([
    ['nothing', () => ''],
    ['a line break', () => `${newValue()}\n`],
    ['a control character', () => `${newValue()}\u0085`],
    ['more than 8 KiB', () => newValue().padEnd(8193, 'x')],
    ['more than 8 KiB in bytes', () => newValue().padEnd(8000, 'é')],
    ['a number', () => 7],
  ])('is refused by its place, and not repeated: %s', async (_, makeValue) => {
    const refused = await put({ value: makeValue() });
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(refused.body.detail).toMatch(/^value: /);
  });

  it('is refused where it is not in its place', async () => {
    const raw = `{"value": "${newValue()}`;
    const json = { 'content-type': 'application/json' };
    const asks = [
      put({ value: newValue(), [newValue()]: newValue() }),
      put(newValue()),
      call(stack.api, 'PUT', `/secrets/${NAME}`, { raw, headers: json }),
      call(stack.api, 'PUT', `/secrets/${NAME}`, { raw, headers: { 'content-type': 'text/plain' } }),
    ];
    for (const { status } of await Promise.all(asks)) expect(status).toBe(400);
    expect((await put({ value: newValue().repeat(2000) })).status).toBe(413);
  });

  it.each(['-a', 'a.b', 'a'.repeat(65), 'a%20b', '%2e%2e%2fa'])('has a name that is none: %s', async (name) => {
    expect(await put({ value: newValue() }, name)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(await call(stack.api, 'DELETE', `/secrets/${name}`)).toMatchObject({
      status: 404,
      body: { code: 'SECRET_NOT_FOUND' },
    });
  });

  it('may be any text of 8 KiB; what needs a right is refused without it [AT-15]', async () => {
    expect((await put({ value: `ß ${newValue()}`.padEnd(8191, 'x') })).status).toBe(200);
    const ask = async (path: string, body: object) => {
      const answer = await stack.api.call('POST', path, { body });
      expect(answer.status).toBe(201);
      return answer.body as { secret?: string; token?: string };
    };
    const { secret } = await ask('/keys', { name: 'all but admin', scopes: ['sessions', 'attachments', 'read'] });
    const rights = ['events:read', 'overrides:manage'];
    const { token } = await ask(`/sessions/${place.session.id}/tokens`, {
      externalUserId: 'u',
      rights,
      ttlSeconds: 60,
    });
    for (const credential of [secret ?? '', token ?? ''])
      for (const [method, path] of [
        ['PUT', `/secrets/${NAME}`],
        ['DELETE', `/secrets/${NAME}`],
        ['GET', '/secrets'],
      ] as const)
        expect((await call(stack.api, method, path, { credential, ...bodyOf(method) })).status).toBe(403);
    expect((await list(stack.api)).map(({ version }) => version)).toEqual([1]);
  });
});

describe('another key of the operator', () => {
  it('takes over what was sealed to the one before, which may then go', async () => {
    const value = newValue();
    await save(stack.api, value);
    const fresh = generateKey().privateKey;
    await changeKeys((present) => [fresh, ...present]);
    const ask = async () => [await runScript(stack.api, await openPlace(stack.api), ['ask-model']), last()];
    expect(await ask()).toEqual([[200], value]);
    // This one is sealed to the new key already.
    await save(stack.apiOf('third'));
    const counts = { kid: fresh.split(':')[0], changedCount: 0, missingKeys: {}, damagedCount: 0 };
    expect(await stack.operate('secret.rewrap', {})).toEqual({ ...counts, rewrappedCount: 2 });
    expect(await stack.operate('secret.rewrap', {})).toEqual({ ...counts, rewrappedCount: 0 });
    await changeKeys(() => [fresh]);
    expect(await ask()).toEqual([[200], value]);
  });

  it('without the one before opens nothing of it: nothing is started, and the diagnostic names what is missing', async () => {
    const [lost] = (await stack.operate('secret.rewrap', {})).kid.split(':');
    await changeKeys(() => [generateKey().privateKey]);
    const { delivery } = await takeTurn(stack.api, await openPlace(stack.api), 'do: need-model');
    expect(delivery).toMatchObject({
      status: 'failed',
      failure: {
        code: 'delivery_agent_auth_required',
        diagnostic: expect.stringContaining(`sealed to the key ${lost}, which is not in ATTACHE_SECRET_KEYS`),
      },
    });
    expect((await stack.operate('secret.rewrap', {})).missingKeys).toEqual({ [lost ?? '']: 3 });
  });
});

it('no secret is in a log line, a span, a metric, an answer, an event or a row [S27]', async () => {
  const canaries: Canary[] = values.map((value, index) => canaryOf(`secret ${index}`, value));
  const { otlp, logs, metrics } = stack.watch;
  const events = await stack.api.events(place.session.id);
  const parts: Record<string, string> = {
    ...{
      spans: otlp.raw(),
      logs: [...formerLogs, logs()].join('\n'),
      metrics: await metrics(),
      events: JSON.stringify(events),
    },
    ...{ problems: problems.join('\n'), told: told.join('\n') },
    rows: await stack.stopAndDump(),
  };
  expect(parts.rows).toMatch(/tenant_secret"? /);
  for (const [where, text] of Object.entries(parts)) {
    expect(text.length, where).toBeGreaterThan(500);
    expect({ [where]: findCanaries(text, canaries) }).toEqual({ [where]: [] });
  }
});

async function readFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(0);
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}
