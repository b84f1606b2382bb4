import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseBlobKey } from '@attache/blob-store';
import { Fault } from '@attache/contracts';
import { endSession, readCheckpoint, removeAgent } from '@attache/database';
import { createDelivery, readUsage, sumUsage } from '@attache/database/contract';
import type { ProgramMemory } from '@attache/programs/program-memory';
import { expect, it, vi } from 'vitest';
import { type Fixture, openFixture, readAgent } from '../__fixtures__/open-fixture.ts';
import { createCheckpoints } from './agent-checkpoints.ts';
import { forgetMemory } from './forget-memory.ts';
import type { MemoryOwner } from './keep-memory.ts';

const TALK = 'config/talk.jsonl';
const memory: ProgramMemory = { files: [{ path: TALK, form: 'lines', isNeeded: true }] };

type Given = Fixture & {
  folder: string;
  owner: MemoryOwner;
  say(text: string): Promise<string>;
  latest(): Promise<unknown>;
};

/** An agent with a transcript, and the keeper of its checkpoints. */
async function given(rest: Partial<MemoryOwner> = {}): Promise<Given> {
  const fixture = await openFixture();
  const folder = path.join(fixture.deps.settings.agentsFolder, randomUUID());
  await mkdir(path.join(folder, 'config'), { recursive: true });
  const running = { resumeReference: 'talk-1', programVersion: '1.0', copyDatabase: async () => undefined };
  const { session, deps } = fixture;
  const owner = {
    session,
    row: await readAgent(fixture),
    folder,
    memory,
    running,
    readSecrets: async () => [],
    maxBytes: 1e6,
    ...rest,
  };
  return {
    ...fixture,
    ...{ folder, owner },
    /** A message that is brought, as far as the database knows, and a transcript that holds it. */
    async say(text) {
      const { deliveryId } = await createDelivery(deps.db, fixture);
      await deps.db.asTenant(fixture.tenantId, (tx) =>
        tx.execute(`update delivery set writing_at = clock_timestamp() where id = '${deliveryId}'`).then(),
      );
      await appendFile(path.join(folder, TALK), `${JSON.stringify({ text })}\n`);
      return deliveryId;
    },
    latest: () => readCheckpoint(deps.db, { tenantId: fixture.tenantId, agentId: fixture.agentId }),
  };
}

const open = ({ deps, owner }: Given, settleMs = 0) => createCheckpoints(deps, owner, { settleMs });
const told = async (fixture: Fixture) =>
  (await fixture.readEvents()).flatMap(({ kind, data }) => (kind === 'agent.checkpointed' ? [data] : []));
/** The tenant's blobs in the store, by the state of their rows. */
const statesOf = async ({ deps, tenantId }: Fixture) =>
  (await deps.db.asTenant(tenantId, (tx) => tx.query.blob.findMany())).map(({ state }) => state).toSorted();

/** Waits until no bytes are left to remove, which happens after the commit that releases them, then compares the usage with its blobs. */
async function expectUsageAddsUp(fixture: Fixture): Promise<void> {
  const { db } = fixture.deps;
  await expect.poll(() => readUsage(db, fixture)).toMatchObject({ reserved: 0, condemned: 0 });
  expect(await readUsage(db, fixture)).toEqual(await sumUsage(db, fixture));
}

/** The bytes that the store has for it. */
async function storedBytesOf({ deps, tenantId }: Fixture): Promise<number[]> {
  const rows = await deps.db.asTenant(tenantId, (tx) => tx.query.blob.findMany());
  const sizes = rows.map(({ key }) =>
    deps.blobs.head(parseBlobKey(key)).then(
      ({ sizeBytes }) => sizeBytes,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).filter((sizeBytes) => sizeBytes > 0);
}

/** Keeps the memory of another agent, whose turn begins and ends now: what was due before has been taken by then. */
async function keepAnother(settleMs: number, retryMs?: number): Promise<void> {
  const another = await given();
  const checkpoints = createCheckpoints(another.deps, another.owner, retryMs ? { settleMs, retryMs } : { settleMs });
  checkpoints.begin(await another.say('Another.'));
  checkpoints.rest();
  await expect.poll(another.latest).toMatchObject({ isCurrent: true });
}

it('a checkpoint follows each turn; the latest two are kept, and the bytes of no other [BX-26 BX-20]', async () => {
  const fixture = await given();
  const checkpoints = open(fixture);
  for (const text of ['First.', 'Second.', 'Third.']) {
    // Written again each time, so that none needs the packs of another.
    await rm(path.join(fixture.folder, TALK), { force: true });
    const deliveryId = await fixture.say(text.repeat(20));
    checkpoints.begin(deliveryId);
    checkpoints.rest();
    await expect.poll(fixture.latest).toMatchObject({ isCurrent: true });
    expect(await fixture.latest()).toMatchObject({ isCurrent: true, reference: 'talk-1', programVersion: '1.0' });
  }
  expect(await told(fixture)).toHaveLength(3);
  await expect.poll(() => statesOf(fixture)).toEqual(['deleted', 'live', 'live']);
  await expectUsageAddsUp(fixture);
  expect(await fixture.latest()).toMatchObject({ number: 3 });
  await fixture.say('Fourth.');
  expect(await fixture.latest()).toMatchObject({ number: 3, isCurrent: false });
});

it('is taken of the last of several turns that follow each other, and of none while one runs', async () => {
  const fixture = await given();
  const checkpoints = open(fixture, 30);
  for (const text of ['First.', 'Second.', 'Third.']) {
    checkpoints.begin(await fixture.say(text));
    checkpoints.rest();
  }
  const last = await fixture.say('Fourth.');
  checkpoints.begin(last);
  await keepAnother(30);
  expect(await told(fixture)).toEqual([]);
  checkpoints.rest();
  await expect.poll(() => told(fixture)).toHaveLength(1);
  expect(await fixture.latest()).toMatchObject({ isCurrent: true });
});

it('is given up where a turn begins while it looks, and taken after that one [BX-26]', async () => {
  const fixture = await given();
  let copied = 0;
  const database: ProgramMemory = { files: [{ path: TALK, form: 'database', isNeeded: true }] };
  const running = {
    ...fixture.owner.running,
    async copyDatabase() {
      copied += 1;
      if (copied === 1) checkpoints.begin(second);
      await mkdir(path.join(fixture.folder, 'tmp'), { recursive: true });
      await writeFile(path.join(fixture.folder, 'tmp/copy'), `copy ${copied}`);
      return 'tmp/copy';
    },
  };
  const checkpoints = createCheckpoints(fixture.deps, { ...fixture.owner, memory: database, running }, { settleMs: 0 });
  const [first, second] = [await fixture.say('First.'), await fixture.say('Second.')];
  checkpoints.begin(first);
  checkpoints.rest();
  await expect.poll(() => copied).toBe(1);
  expect(await told(fixture)).toEqual([]);
  checkpoints.rest();
  await expect.poll(fixture.latest).toMatchObject({ isCurrent: true });
  expect(await told(fixture)).toMatchObject([{ sizeBytes: 6, files: 1 }]);
});

it('gives way to a turn that begins while it packs, and is taken after that one [BX-26]', async () => {
  const fixture = await given();
  const checkpoints = open(fixture);
  const [first, second] = [await fixture.say('First.'), await fixture.say('Second.')];
  const { put } = fixture.deps.blobs;
  const packing = vi.spyOn(fixture.deps.blobs, 'put').mockImplementationOnce((...asked) => {
    checkpoints.begin(second);
    return put(...asked);
  });
  checkpoints.begin(first);
  checkpoints.rest();
  await expect.poll(() => packing.mock.settledResults[0]?.type).toBe('rejected');
  await expect.poll(() => readUsage(fixture.deps.db, fixture)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
  expect(await told(fixture)).toEqual([]);
  checkpoints.rest();
  await expect.poll(fixture.latest).toMatchObject({ isCurrent: true });
  expect(await told(fixture)).toHaveLength(1);
  packing.mockRestore();
});

it('takes what waits before its process is stopped, and nothing after that', async () => {
  const fixture = await given();
  const checkpoints = open(fixture, 600_000);
  checkpoints.begin(await fixture.say('First.'));
  checkpoints.rest();
  await checkpoints.finish();
  expect(await fixture.latest()).toMatchObject({ isCurrent: true });
  checkpoints.begin(await fixture.say('Second.'));
  checkpoints.rest();
  await checkpoints.finish();
  const cancelled = open(fixture, 0);
  cancelled.begin(await fixture.say('Third.'));
  cancelled.rest();
  cancelled.cancel();
  await keepAnother(0);
  expect(await told(fixture)).toHaveLength(1);
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
    const fixture = await given(rest);
    const checkpoints = open(fixture);
    for (const text of ['My key is sk-live-0123456789.', 'Second.']) {
      checkpoints.begin(await fixture.say(text));
      await spoil(fixture);
      checkpoints.rest();
      await expect.poll(() => told(fixture)).toHaveLength(1);
    }
    await checkpoints.finish();
    expect(await told(fixture)).toMatchObject([{ refused, files: 0, storedBytes: 0 }]);
    expect(await fixture.latest()).toBeUndefined();
    await expect.poll(() => readUsage(fixture.deps.db, fixture)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
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
    const fixture = await given();
    const { deps, tenantId, agentId } = fixture;
    const checkpoints = open(fixture);
    checkpoints.begin(await fixture.say('First, canary.'));
    checkpoints.rest();
    await expect.poll(fixture.latest).toMatchObject({ isCurrent: true });
    expect(await statesOf(fixture)).toEqual(['live']);
    expect(await storedBytesOf(fixture)).toHaveLength(1);
    const late = await fixture.say('Second, canary.');
    await deps.db.asTenant(tenantId, (tx) => end(fixture, tx));
    expect(await fixture.latest()).toBeUndefined();
    checkpoints.begin(late);
    checkpoints.rest();
    await checkpoints.finish();
    expect(await fixture.latest()).toBeUndefined();
    await forgetMemory(deps, tenantId, agentId);
    await expect.poll(async () => new Set(await statesOf(fixture))).toEqual(new Set(['deleted']));
    await expect.poll(() => storedBytesOf(fixture)).toEqual([]);
    await expect.poll(() => readUsage(deps.db, fixture)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
  },
);

it('is none of an epoch that is over: nothing is recorded, and what was written goes', async () => {
  const fixture = await given();
  const { deps, tenantId } = fixture;
  const checkpoints = open(fixture);
  checkpoints.begin(await fixture.say('First.'));
  await deps.db.asWorker((tx) =>
    tx
      .execute(
        `update session_owner set epoch = epoch + 1, incarnation = '${randomUUID()}' where tenant_id = '${tenantId}'`,
      )
      .then(),
  );
  checkpoints.rest();
  await checkpoints.finish();
  expect(await fixture.latest()).toBeUndefined();
  await expect.poll(() => readUsage(deps.db, fixture)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
});

it('is tried again where the store is away, and holds nothing meanwhile [W3 BX-26]', async () => {
  const fixture = await given();
  const gone = new Fault('STORAGE_UNAVAILABLE', 'away');
  const away = vi.spyOn(fixture.deps.blobs, 'put').mockRejectedValueOnce(gone).mockRejectedValueOnce(gone);
  const checkpoints = createCheckpoints(fixture.deps, fixture.owner, { settleMs: 0, retryMs: 200 });
  checkpoints.begin(await fixture.say('First.'));
  checkpoints.rest();
  await expect.poll(() => away.mock.calls.length).toBe(1);
  await expect.poll(() => readUsage(fixture.deps.db, fixture)).toMatchObject({ used: 0, reserved: 0, condemned: 0 });
  expect(await told(fixture)).toEqual([]);
  await expect.poll(fixture.latest).toMatchObject({ isCurrent: true });
  expect(away).toHaveBeenCalledTimes(3);
  expect(await told(fixture)).toHaveLength(1);
  away.mockRestore();
});

it('waits for the turn that begins before it is tried again [W3 BX-26]', async () => {
  const fixture = await given();
  const gone = new Fault('STORAGE_UNAVAILABLE', 'away');
  // All agents have the same store.
  const away = vi.spyOn(fixture.deps.blobs, 'put').mockRejectedValueOnce(gone);
  const checkpoints = createCheckpoints(fixture.deps, fixture.owner, { settleMs: 0, retryMs: 50 });
  checkpoints.begin(await fixture.say('First.'));
  checkpoints.rest();
  await expect.poll(() => away.mock.settledResults[0]?.type).toBe('rejected');
  checkpoints.begin(await fixture.say('Second.'));
  away.mockClear().mockRejectedValueOnce(gone);
  await keepAnother(0, 50);
  // Both are of the other agent, which was tried again.
  expect(away).toHaveBeenCalledTimes(2);
  checkpoints.rest();
  await expect.poll(fixture.latest).toMatchObject({ isCurrent: true });
  expect(await told(fixture)).toHaveLength(1);
  away.mockRestore();
});

it('two at once are one after the other: each holds what was brought before it, and none is lost [BX-26]', async () => {
  const fixture = await given();
  const [one, other] = [open(fixture), open(fixture)];
  const deliveryId = await fixture.say('First.');
  for (const checkpoints of [one, other]) {
    checkpoints.begin(deliveryId);
    checkpoints.rest();
  }
  await expect.poll(fixture.latest).toMatchObject({ number: 2, isCurrent: true });
  await expectUsageAddsUp(fixture);
});
