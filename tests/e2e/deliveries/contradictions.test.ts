// hosted: long – one gateway keeps what it sees and every ingest reads it with what it reads anyway, by statements that are the same on both stacks
// embedded: long – it takes the turns of many sessions until a row is contradicted
import { randomInt } from 'node:crypto';
import type { AuditEntry, DeliveryPlan, KindCapability, ReceiptItem } from '@attache/contracts';
import { type Api, makePng, scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type ModelProvider, startModelProvider } from '../steps/model-provider.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

// The program is a script by the name behind it: what it makes of a picture before it asks its model is said in the message.
const PROGRAM = 'claude-agent-acp';
const ROW = `acp ${PROGRAM}`;
const row = { runtime: 'acp', program: PROGRAM, kind: 'image' } as const;

let provider: ModelProvider;
let stack: OwnStack;

beforeAll(async () => {
  provider = await startModelProvider();
  const offer = (version: string) => ({
    ...({ runtime: 'acp', provider: 'anthropic', model: 'model-1', ownTools: 'none' } as const),
    command: [process.execPath, scriptedAgent, PROGRAM, `version=${version}`],
    capability: { image: true },
    endpoint: { api: 'anthropic', baseUrl: provider.url, apiKey: 'tenant:key' } as const,
  });
  const keyed = offer('1.0');
  const profiles = { keyed, sibling: { ...keyed, env: { MODE: 'other' } }, renewed: offer('2.0') };
  stack = await openOwnStack({ tenants: ['other'], profiles });
  for (const api of [stack.api, stack.apiOf('other')])
    expect((await api.call('PUT', '/secrets/key', { body: { value: 'a key' } })).status).toBe(200);
});
afterAll(async () => {
  await stack?.stop();
  await provider?.stop();
});

const open = (api: Api, profile = 'keyed'): Promise<Place> => api.createSession({ profile, model: 'model-1' });

async function addPicture(api: Api, { session }: Place): Promise<string> {
  const { attachment } = await api.upload(session.id, makePng(40, 30, randomInt(2 ** 31)));
  await api.inspected(attachment.id);
  return attachment.id;
}

/** A turn with a new picture, of which the program makes this. */
async function show(api: Api, place: Place, way: 'keep' | 'drop' | 'alter') {
  const attachmentId = await addPicture(api, place);
  const { delivery } = await takeTurn(api, place, `do: show-model ${way}`, [attachmentId]);
  expect(delivery.status).toBe('responded');
  return { delivery, item: delivery.receipt?.items[0] as ReceiptItem };
}

// The finding of a turn is kept before the next turn of its agent begins.
const settle = (api: Api, place: Place) => takeTurn(api, place, 'hello');

async function readImage(api: Api, profile = 'keyed'): Promise<KindCapability> {
  const { body } = await api.call<{ capability: { image: KindCapability } }>('GET', `/capabilities?profile=${profile}`);
  return body.capability.image;
}

async function plan(api: Api, profile = 'keyed'): Promise<DeliveryPlan['items'][number] | undefined> {
  const place = await open(api, profile);
  const draft = { to: [place.agent.id], text: 'look', attachmentIds: [await addPicture(api, place)] };
  const { body } = await api.call<{ plans: DeliveryPlan[] }>('POST', `/sessions/${place.session.id}/plan`, {
    body: draft,
  });
  return body.plans[0]?.items[0];
}

async function readAudit(api: Api): Promise<AuditEntry[]> {
  const { items } = (await api.call('GET', '/audit')).body as { items: AuditEntry[] };
  return items.filter(({ action }) => action.startsWith('capability.'));
}

it('a picture that a program makes again is delivered, and the receipt has what left in its place [BX-23]', async () => {
  const place = await open(stack.apiOf('other'));
  const { item } = await show(stack.apiOf('other'), place, 'alter');
  expect(item).toMatchObject({ form: 'native', verdict: 'delivered', proof: 'wire', wire: { altered: true } });
  expect(item.wire?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(item.wire?.sha256).not.toBe(item.sha256);
  const kept = await show(stack.apiOf('other'), place, 'keep');
  expect(kept.item).toMatchObject({ verdict: 'delivered', wire: { sha256: kept.item.sha256, altered: false } });
});

it('three turns of one session that leave a picture out do not contradict the catalog; with one of another they do, for this tenant alone [DL-58 DL-100]', async () => {
  const { api } = stack;
  const first = await open(api);
  for (let turn = 0; turn < 3; turn += 1)
    expect((await show(api, first, 'drop')).item).toMatchObject({ form: 'native', verdict: 'dropped', proof: 'wire' });
  await settle(api, first);
  expect(await readImage(api)).toMatchObject({ transport: 'yes', evidence: { transport: { source: 'static' } } });
  expect((await plan(api))?.becomes).toBe('native');
  await show(api, await open(api), 'drop');
  await vi.waitFor(
    async () =>
      expect(await readImage(api)).toMatchObject({
        transport: 'no',
        model: 'yes',
        evidence: {
          transport: {
            source: 'contradicted',
            date: expect.any(String),
            note: 'Version 1.0 left out an image in 4 turns of 2 sessions with the profile keyed, as what left for the model shows.',
          },
        },
      }),
    30_000,
  );
  expect(await readAudit(api)).toMatchObject([
    {
      actor: { type: 'service', id: 'runner-gateway' },
      action: 'capability.contradicted',
      data: { row: ROW, kind: 'image', programVersion: '1.0', profile: 'keyed' },
    },
  ]);
  expect((await readImage(stack.apiOf('other'))).transport).toBe('yes');
});

it('plans then take another route, also for an agent that runs; those of another tenant, or of a profile with other settings, do not [DL-58 BX-19]', async () => {
  expect(await plan(stack.api)).toMatchObject({ becomes: 'tool' });
  expect(await plan(stack.apiOf('other'))).toMatchObject({ becomes: 'native' });
  expect(await plan(stack.api, 'sibling')).toMatchObject({ becomes: 'native' });
  const place = await open(stack.api);
  const { item } = await show(stack.api, place, 'keep');
  expect(item).toMatchObject({ form: 'tool', verdict: 'unknown' });
});

it('two turns of two sessions do not contradict it, nor do four that were cut by a restore [DL-58]', async () => {
  const api = stack.apiOf('other');
  // With the one of the first test, which was altered.
  const [first, second] = [await open(api), await open(api)];
  await show(api, first, 'drop');
  await settle(api, first);
  expect((await readImage(api)).transport).toBe('yes');
  const tenant = stack.nameOf('other');
  expect(await stack.operate('capability.restore', { ...row, tenant })).toEqual({ restored: [], forgottenCount: 2 });
  for (const place of [first, second]) {
    await show(api, place, 'drop');
    await settle(api, place);
  }
  expect((await readImage(api)).transport).toBe('yes');
});

it('is restored for the tenant by the operator, and counted again [DL-58]', async () => {
  const { api } = stack;
  const tenant = stack.nameOf('first');
  const { items } = await stack.operate('capability.list', { tenant });
  expect(items).toMatchObject([{ row: ROW, kind: 'image', programVersion: '1.0', isForAll: false }]);
  expect(await stack.operate('capability.restore', { ...row, tenant })).toEqual({ restored: items, forgottenCount: 4 });
  expect(await stack.operate('capability.restore', { ...row, tenant })).toEqual({ restored: [], forgottenCount: 0 });
  expect((await readImage(api)).transport).toBe('yes');
  expect((await plan(api))?.becomes).toBe('native');
  expect((await readAudit(api))[0]).toMatchObject({
    actor: { type: 'operator' },
    action: 'capability.restored',
    data: { row: ROW },
  });
  await show(api, await open(api), 'drop');
  expect((await readImage(api)).transport).toBe('yes');
});

it('the operator says it for all tenants, until an agent starts with another version of the program [DL-58 DL-100]', async () => {
  const other = stack.apiOf('other');
  const said = { ...row, programVersion: '1.0', reason: 'It is known to leave pictures out.' };
  const { contradiction } = await stack.operate('capability.contradict', said);
  expect(contradiction).toMatchObject({ row: ROW, note: said.reason, isForAll: true });
  for (const api of [stack.api, other])
    expect(await readImage(api)).toMatchObject({ transport: 'no', evidence: { transport: { note: said.reason } } });
  // The same version, started again, ends nothing.
  await settle(other, await open(other));
  expect((await plan(other))?.becomes).toBe('tool');
  await settle(other, await open(other, 'renewed'));
  for (const api of [stack.api, other]) expect((await readImage(api)).transport).toBe('yes');
  expect((await stack.operate('capability.list', {})).items).toEqual([]);
  await stack.operate('capability.contradict', said);
  expect((await stack.operate('capability.restore', row)).restored).toMatchObject([
    { programVersion: '1.0', isForAll: true },
  ]);
  expect((await readImage(other)).transport).toBe('yes');
  const nobody = { runtime: 'acp', program: 'nobody', kind: 'image' } as const;
  await expect(stack.operate('capability.restore', nobody)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining(ROW),
  });
});
