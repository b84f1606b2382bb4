import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseBlobKey } from '@attache/blob-store';
import { Fault } from '@attache/contracts';
import { endSession, readCheckpoint, removeAgent } from '@attache/database';
import { createDelivery, readUsage, sumUsage } from '@attache/database/contract';
import type { ProgramMemory } from '@attache/programs/program-memory';
import { expect, it, vi } from 'vitest';
import { openScene, readAgent, type Scene } from '../__fixtures__/open-scene.ts';
import { createCheckpoints } from './agent-checkpoints.ts';
import { forgetMemory } from './forget-memory.ts';
import type { MemoryOwner } from './keep-memory.ts';

const TALK = 'config/talk.jsonl';
const memory: ProgramMemory = { files: [{ path: TALK, form: 'lines', isNeeded: true }] };

type Given = Scene & {
  folder: string;
  owner: MemoryOwner;
  say(text: string): Promise<string>;
  latest(): Promise<unknown>;
};

/** An agent with a transcript, and what keeps it. */
async function given(rest: Partial<MemoryOwner> = {}): Promise<Given> {
  const scene = await openScene();
  const folder = path.join(scene.deps.settings.agentsFolder, randomUUID());
  await mkdir(path.join(folder, 'config'), { recursive: true });
  const running = { resumeReference: 'talk-1', programVersion: '1.0', copyDatabase: async () => undefined };
  const { session, deps } = scene;
  const owner = {
    session,
    row: await readAgent(scene),
    folder,
    memory,
    running,
    readSecrets: async () => [],
    maxBytes: 1e6,
    ...rest,
  };
  return {
    ...scene,
    ...{ folder, owner },
    /** A message that is brought, as far as the database knows, and a transcript that holds it. */
    async say(text) {
      const { deliveryId } = await createDelivery(deps.db, scene);
      await deps.db.asTenant(scene.tenantId, (tx) =>
        tx.execute(`update delivery set writing_at = clock_timestamp() where id = '${deliveryId}'`).then(),
      );
      await appendFile(path.join(folder, TALK), `${JSON.stringify({ text })}\n`);
      return deliveryId;
    },
    latest: () => readCheckpoint(deps.db, { tenantId: scene.tenantId, agentId: scene.agentId }),
  };
}

const open = ({ deps, owner }: Given, settleMs = 0) => createCheckpoints(deps, owner, { settleMs });
const told = async (scene: Scene) =>
  (await scene.readEvents()).flatMap(({ kind, data }) => (kind === 'agent.checkpointed' ? [data] : []));
/** What of the tenant's is in the store, by the state of its rows. */
const statesOf = async ({ deps, tenantId }: Scene) =>
  (await deps.db.asTenant(tenantId, (tx) => tx.query.blob.findMany())).map(({ state }) => state).toSorted();

/** Waits until no bytes are left to remove, which happens after the commit that releases them, then compares the usage with its blobs. */
async function expectUsageAddsUp(scene: Scene): Promise<void> {
  const { db } = scene.deps;
  await expect.poll(() => readUsage(db, scene)).toMatchObject({ reserved: 0, condemned: 0 });
  expect(await readUsage(db, scene)).toEqual(await sumUsage(db, scene));
}

/** The bytes that the store has for it. */
async function storedBytesOf({ deps, tenantId }: Scene): Promise<number[]> {
  const rows = await deps.db.asTenant(tenantId, (tx) => tx.query.blob.findMany());
  const sizes = rows.map(({ key }) =>
    deps.blobs.head(parseBlobKey(key)).then(
      ({ sizeBytes }) => sizeBytes,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).filter((sizeBytes) => sizeBytes > 0);
}

it('a checkpoint follows each turn; the latest two are kept, and the bytes of no other [BX-26 BX-20]', async () => {
  const scene = await given();
  const checkpoints = open(scene);
  for (const text of ['First.', 'Second.', 'Third.']) {
    // Written again each time, so that none needs the packs of another.
    await rm(path.join(scene.folder, TALK), { force: true });
    const deliveryId = await scene.say(text.repeat(20));
    checkpoints.begin(deliveryId);
    checkpoints.rest();
    await expect.poll(scene.latest).toMatchObject({ isCurrent: true });
    expect(await scene.latest()).toMatchObject({ isCurrent: true, reference: 'talk-1', programVersion: '1.0' });
  }
  expect(await told(scene)).toHaveLength(3);
  await expect.poll(() => statesOf(scene)).toEqual(['deleted', 'live', 'live']);
  await expectUsageAddsUp(scene);
  expect(await scene.latest()).toMatchObject({ number: 3 });
  await scene.say('Fourth.');
  expect(await scene.latest()).toMatchObject({ number: 3, isCurrent: false });
});

it('is taken of the last of several turns that follow each other, and of none while one runs', async () => {
  const scene = await given();
  const checkpoints = open(scene, 30);
  for (const text of ['First.', 'Second.', 'Third.']) {
    checkpoints.begin(await scene.say(text));
    checkpoints.rest();
  }
  const last = await scene.say('Fourth.');
  checkpoints.begin(last);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await told(scene)).toEqual([]);
  checkpoints.rest();
  await expect.poll(() => told(scene)).toHaveLength(1);
  expect(await scene.latest()).toMatchObject({ isCurrent: true });
});

it('is given up where a turn begins while it looks, and taken after that one [BX-26]', async () => {
  const scene = await given();
  let copied = 0;
  const database: ProgramMemory = { files: [{ path: TALK, form: 'database', isNeeded: true }] };
  const running = {
    ...scene.owner.running,
    async copyDatabase() {
      copied += 1;
      if (copied === 1) checkpoints.begin(second);
      await mkdir(path.join(scene.folder, 'tmp'), { recursive: true });
      await writeFile(path.join(scene.folder, 'tmp/copy'), `copy ${copied}`);
      return 'tmp/copy';
    },
  };
  const checkpoints = createCheckpoints(scene.deps, { ...scene.owner, memory: database, running }, { settleMs: 0 });
  const [first, second] = [await scene.say('First.'), await scene.say('Second.')];
  checkpoints.begin(first);
  checkpoints.rest();
  await expect.poll(() => copied).toBe(1);
  expect(await told(scene)).toEqual([]);
  checkpoints.rest();
  await expect.poll(scene.latest).toMatchObject({ isCurrent: true });
  expect(await told(scene)).toMatchObject([{ sizeBytes: 6, files: 1 }]);
});

it('gives way to a turn that begins while it packs, and is taken after that one [BX-26]', async () => {
  const scene = await given();
  const checkpoints = open(scene);
  const [first, second] = [await scene.say('First.'), await scene.say('Second.')];
  const { put } = scene.deps.blobs;
  const packing = vi.spyOn(scene.deps.blobs, 'put').mockImplementationOnce((...asked) => {
    checkpoints.begin(second);
    return put(...asked);
  });
  checkpoints.begin(first);
  checkpoints.rest();
  await expect.poll(() => packing.mock.settledResults[0]?.type).toBe('rejected');
  await expect.poll(() => readUsage(scene.deps.db, scene)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
  expect(await told(scene)).toEqual([]);
  checkpoints.rest();
  await expect.poll(scene.latest).toMatchObject({ isCurrent: true });
  expect(await told(scene)).toHaveLength(1);
  packing.mockRestore();
});

it('takes what waits before its process is stopped, and nothing after that', async () => {
  const scene = await given();
  const checkpoints = open(scene, 600_000);
  checkpoints.begin(await scene.say('First.'));
  checkpoints.rest();
  await checkpoints.finish();
  expect(await scene.latest()).toMatchObject({ isCurrent: true });
  checkpoints.begin(await scene.say('Second.'));
  checkpoints.rest();
  await checkpoints.finish();
  const cancelled = open(scene, 0);
  cancelled.begin(await scene.say('Third.'));
  cancelled.rest();
  cancelled.cancel();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await told(scene)).toHaveLength(1);
});

it.each([
  ['too-large', { maxBytes: 10 }, async () => {}],
  ['secret-found', { readSecrets: async () => ['sk-live-0123456789'] }, async () => {}],
  ['unreadable', {}, ({ folder }: Given) => rm(path.join(folder, TALK))],
  [
    'no-room',
    {},
    ({ deps, tenantId }: Given) =>
      deps.db.asTenant(tenantId, (tx) => tx.execute('update tenant set quota_bytes = 100').then()),
  ],
] as const)(
  '%s: it is refused, which the log says once; nothing is stored or reserved [BX-26 S27 S32]',
  async (refused, rest, spoil) => {
    const scene = await given(rest);
    const checkpoints = open(scene);
    for (const text of ['My key is sk-live-0123456789.', 'Second.']) {
      checkpoints.begin(await scene.say(text));
      await spoil(scene);
      checkpoints.rest();
      await expect.poll(() => told(scene)).toHaveLength(1);
    }
    await checkpoints.finish();
    expect(await told(scene)).toMatchObject([{ refused, files: 0, storedBytes: 0 }]);
    expect(await scene.latest()).toBeUndefined();
    await expect.poll(() => readUsage(scene.deps.db, scene)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
  },
);

it.each([
  [
    'an agent that is removed',
    ({ sessionId, agentId }: Given, tx: Parameters<typeof removeAgent>[0]) => removeAgent(tx, sessionId, agentId),
  ],
  [
    'a session that has ended',
    ({ sessionId }: Given, tx: Parameters<typeof removeAgent>[0]) => endSession(tx, sessionId),
  ],
])(
  'of %s there is none: those before go with that commit, and their bytes when the gateway hears of it [BX-20]',
  async (_, end) => {
    const scene = await given();
    const { deps, tenantId, agentId } = scene;
    const checkpoints = open(scene);
    checkpoints.begin(await scene.say('First, canary.'));
    checkpoints.rest();
    await expect.poll(scene.latest).toMatchObject({ isCurrent: true });
    expect(await statesOf(scene)).toEqual(['live']);
    expect(await storedBytesOf(scene)).toHaveLength(1);
    const late = await scene.say('Second, canary.');
    await deps.db.asTenant(tenantId, (tx) => end(scene, tx));
    expect(await scene.latest()).toBeUndefined();
    checkpoints.begin(late);
    checkpoints.rest();
    await checkpoints.finish();
    expect(await scene.latest()).toBeUndefined();
    await forgetMemory(deps, tenantId, agentId);
    await expect.poll(async () => new Set(await statesOf(scene))).toEqual(new Set(['deleted']));
    await expect.poll(() => storedBytesOf(scene)).toEqual([]);
    await expect.poll(() => readUsage(deps.db, scene)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
  },
);

it('is none of an epoch that is over: nothing is recorded, and what was written goes [W10 BX-27]', async () => {
  const scene = await given();
  const { deps, tenantId } = scene;
  const checkpoints = open(scene);
  checkpoints.begin(await scene.say('First.'));
  await deps.db.asWorker((tx) =>
    tx
      .execute(
        `update session_owner set epoch = epoch + 1, incarnation = '${randomUUID()}' where tenant_id = '${tenantId}'`,
      )
      .then(),
  );
  checkpoints.rest();
  await checkpoints.finish();
  expect(await scene.latest()).toBeUndefined();
  await expect.poll(() => readUsage(deps.db, scene)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
});

it('waits for the next turn where the store is away, and holds nothing meanwhile [W3]', async () => {
  const scene = await given();
  const away = vi.spyOn(scene.deps.blobs, 'put').mockRejectedValueOnce(new Fault('STORAGE_UNAVAILABLE', 'away'));
  const checkpoints = open(scene);
  checkpoints.begin(await scene.say('First.'));
  checkpoints.rest();
  await expect.poll(() => away.mock.calls.length).toBe(1);
  await expect.poll(() => readUsage(scene.deps.db, scene)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
  away.mockRestore();
  expect(await told(scene)).toEqual([]);
  checkpoints.begin(await scene.say('Second.'));
  checkpoints.rest();
  await expect.poll(scene.latest).toMatchObject({ isCurrent: true });
  expect(await told(scene)).toHaveLength(1);
});

it('two at once are one after the other: each holds what was brought before it, and none is lost [BX-26]', async () => {
  const scene = await given();
  const [one, other] = [open(scene), open(scene)];
  const deliveryId = await scene.say('First.');
  for (const checkpoints of [one, other]) {
    checkpoints.begin(deliveryId);
    checkpoints.rest();
  }
  await expect.poll(scene.latest).toMatchObject({ number: 2, isCurrent: true });
  await expectUsageAddsUp(scene);
});
