import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { isFault } from '@attache/contracts';
import { takeReplica } from '@attache/database';
import { createPlace, type Place, readUsage, sumUsage, type Usage } from '@attache/database/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUploader, openPorts, watchCalls } from './__fixtures__/open-intake.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

let ports: Awaited<ReturnType<typeof openPorts>>;
let place: Place;
let watched: ReturnType<typeof watchCalls>;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  ports = await openPorts();
});
afterAll(() => ports.close());
beforeEach(async () => {
  place = await createPlace(ports.db);
  watched = watchCalls(ports.db);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stops.splice(0)) await stop();
});

function start(holder?: string) {
  const uploader = createUploader({ db: watched.db, blobs: ports.blobs }, place, holder);
  stops.push(() => uploader.keyPools.stop());
  return uploader;
}

/** A process whose reservations nobody ends for it. */
async function live(): Promise<string> {
  const incarnation = randomUUID();
  await takeReplica(ports.db, { replicaId: incarnation, incarnation, leaseMs: 600_000 });
  return incarnation;
}

const file = (sizeBytes = 100) => new Uint8Array(randomBytes(sizeBytes));
const usage = () => readUsage(ports.db, place);
const readBlobs = () => ports.db.asTenant(place.tenantId, (tx) => tx.query.blob.findMany());
const setQuota = (quotaBytes: number) =>
  ports.db.asTenant(place.tenantId, async (tx) => {
    await tx.execute(`update tenant set quota_bytes = ${quotaBytes}`);
  });
const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'stored',
    (error: unknown) => (isFault(error) ? error.code : error),
  );

/** A process whose pool holds its first four keys. */
async function startFilled() {
  const uploader = start();
  await uploader.upload(file());
  await uploader.upload(file());
  await expect.poll(async () => (await usage()).reserved).toBe(16 * MIB);
  watched.takeCalls();
  return uploader;
}

describe('an upload', () => {
  it('is one PUT and one commit from the third on, until keys are reserved again behind it [AT-02 W3]', async () => {
    const { upload } = start();
    await upload(file());
    expect(watched.takeCalls()).toEqual(['attache_reserve_upload', 'attache_record_attachment']);
    await upload(file());
    await expect.poll(async () => (await usage()).reserved).toBe(16 * MIB);
    expect(watched.takeCalls().toSorted()).toEqual([
      'attache_fill_pool',
      'attache_record_attachment',
      'attache_reserve_upload',
    ]);
    await upload(file());
    expect(watched.takeCalls()).toEqual(['attache_record_attachment']);
    await upload(file());
    await expect.poll(() => watched.takeCalls().toSorted()).toEqual(['attache_fill_pool', 'attache_record_attachment']);
    expect(await usage()).toEqual(await sumUsage(ports.db, place));
  });

  it('is refused as by a reservation, before its body is wanted and without a round trip [AT-15]', async () => {
    const { upload } = await startFilled();
    expect(await outcomeOf(upload(file(), { sessionStatus: null }))).toBe('SESSION_NOT_FOUND');
    expect(await outcomeOf(upload(file(), { sessionStatus: 'ended' }))).toBe('SESSION_ENDED');
    expect(await outcomeOf(upload(file(), {}, { sizeBytes: 26_000_000 }))).toBe('PAYLOAD_TOO_LARGE');
    expect(watched.takeCalls()).toEqual([]);
  });

  it('reserves for itself where it may be larger than a key’s share, or has an idempotency key [W2 S32]', async () => {
    const { upload } = await startFilled();
    await upload(file(), {}, { sizeBytes: undefined });
    await upload(file(4 * MIB + 1));
    const kept = { route: 'uploadRaw', sessionId: place.sessionId, key: 'k', principal: 'p', ticket: randomUUID() };
    const idempotency = { ...kept, status: 201, seal: () => 'sealed', unseal: () => undefined as never };
    await upload(file(), {}, { idempotency });
    const calls = watched.takeCalls();
    expect(calls.filter((name) => name === 'attache_reserve_upload')).toHaveLength(3);
    expect((await usage()).reserved).toBe(16 * MIB);
  });

  it('that fails gives its key up, which no other upload gets [W3]', async () => {
    const { upload } = await startFilled();
    const put = vi.spyOn(ports.blobs, 'put').mockRejectedValueOnce(new Error('the disk is full'));
    expect(await outcomeOf(upload(file()))).toMatchObject({ message: 'the disk is full' });
    const [key] = put.mock.calls[0] ?? [];
    put.mockRestore();
    for (let count = 0; count < 3; count += 1) await upload(file());
    const blobs = await readBlobs();
    expect(blobs.filter((blob) => blob.key === key)).toMatchObject([{ state: 'deleted', sha256: null }]);
    expect(new Set(blobs.map((blob) => blob.key)).size).toBe(blobs.length);
    expect(await usage()).toEqual(await sumUsage(ports.db, place));
  });

  it('whose record was committed and not answered stays [W4]', async () => {
    const { upload } = await startFilled();
    const before = (await readBlobs()).filter(({ state }) => state === 'live').length;
    watched.lose('attache_record_attachment', 'unanswered');
    expect(await outcomeOf(upload(file()))).toBe('DATABASE_UNAVAILABLE');
    expect((await readBlobs()).filter(({ state }) => state === 'live')).toHaveLength(before + 1);
  });
});

describe('keys', () => {
  it('are given back whether their commit was made or not, where its answer is lost [W4]', async () => {
    for (const loss of ['unsent', 'unanswered'] as const) {
      const { upload } = start();
      watched.lose('attache_fill_pool', loss);
      await upload(file());
      await upload(file());
      await expect.poll(() => watched.takeCalls()).toContain('attache_release_keys');
      await expect.poll(async () => (await usage()).reserved).toBe(0);
      await upload(file());
    }
    expect(await usage()).toEqual(await sumUsage(ports.db, place));
  });

  it('are all given back at a stop, those that are being reserved too [W3]', async () => {
    const filled = await startFilled();
    await filled.upload(file());
    // The next one has keys reserved behind it.
    await filled.upload(file());
    await filled.keyPools.stop();
    expect(await usage()).toMatchObject({ reserved: 0, condemned: 0 });
    watched.takeCalls();
    await filled.upload(file());
    expect(watched.takeCalls()).toEqual(['attache_reserve_upload', 'attache_record_attachment']);
    expect((await usage()).reserved).toBe(0);
  });

  it('double with each fill until they are sixty-four, and are never more', async () => {
    const { upload } = await startFilled();
    let most = 0;
    for (let count = 0; count < 150; count += 1) {
      await upload(file());
      most = Math.max(most, (await usage()).reserved);
    }
    expect(most / (4 * MIB)).toBe(64);
  });

  it('are given back when their tenant is quiet', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    await startFilled();
    vi.advanceTimersByTime(50_000);
    await turn();
    expect((await usage()).reserved).toBe(16 * MIB);
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();
    await expect.poll(async () => (await usage()).reserved).toBe(0);
  });

  it('that are older than half of the sweep’s age are not used [W3]', async () => {
    const { upload } = await startFilled();
    const old = (await readBlobs()).filter(({ state }) => state === 'reserved').map(({ key }) => key);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * HOUR_MS + 1 });
    await upload(file());
    await expect
      .poll(async () => (await readBlobs()).filter(({ key, state }) => old.includes(key) && state === 'deleted').length)
      .toBe(old.length);
  });

  it('of a pool that others ended are used where there is room, and then the rest goes [W3]', async () => {
    const { upload, keyPools } = await startFilled();
    await ports.db.asTenant(place.tenantId, (tx) => tx.execute('select attache_end_pools()').then());
    await upload(file());
    expect(watched.takeCalls()).toEqual(['attache_record_attachment', 'attache_release_keys']);
    await expect.poll(usage).toMatchObject({ reserved: 0, condemned: 0 });
    expect(keyPools.holdsAny(place.tenantId)).toBe(false);
  });
});

describe('a quota', () => {
  const QUOTA = 4096 * MIB;

  it('never refuses an upload for what the tenant’s own pools hold [S32]', async () => {
    await setQuota(QUOTA);
    const [one, other] = [await startFilled(), start(randomUUID())];
    await other.upload(file());
    await other.upload(file());
    await expect.poll(async () => (await usage()).reserved).toBe(32 * MIB);
    const { used } = await usage();
    const all = { sizeBytes: QUOTA - used, maxBytes: QUOTA };
    // It says to be as large as what is free, and turns out to be empty.
    expect(await outcomeOf(one.upload(new Uint8Array(0), { freeBytes: QUOTA - used - 32 * MIB }, all))).toBe('NO_FILE');
    expect(await outcomeOf(one.upload(new Uint8Array(0), {}, { ...all, sizeBytes: QUOTA }))).toBe('QUOTA_EXCEEDED');
  });

  it('that is near has no pool: what there is goes back, and each upload reserves for itself [S32]', async () => {
    await setQuota(QUOTA);
    const { upload } = await startFilled();
    await upload(file(), { freeBytes: 31 * MIB });
    expect(watched.takeCalls().toSorted()).toEqual([
      'attache_record_attachment',
      'attache_release_keys',
      'attache_reserve_upload',
    ]);
    expect((await usage()).reserved).toBe(0);
  });

  it('is never exceeded by 200 uploads at once of two processes that are near it [S32]', async () => {
    const quota = 48 * MIB;
    await setQuota(quota);
    const processes = [start(await live()), start(await live())] as const;
    const [seen, outcomes]: [Usage[], unknown[]] = [[], []];
    const upload = async (index: number) => {
      const { used, reserved } = await usage();
      const { upload: put } = processes[index % 2] ?? processes[0];
      const bytes = file(index % 3 === 0 ? MIB : 100_000);
      outcomes.push(await outcomeOf(put(bytes, { freeBytes: quota - used - reserved })));
      seen.push(await usage());
    };
    for (let index = 0; index < 10; index += 1) await upload(index);
    expect(watched.takeCalls()).toContain('attache_fill_pool');
    await Promise.all(Array.from({ length: 200 }, (_, index) => upload(index)));
    expect(Math.max(...seen.map(({ used, reserved }) => used + reserved))).toBeLessThanOrEqual(quota);
    expect(Math.max(...seen.map(({ used, reserved, condemned }) => used + reserved + condemned))).toBeLessThanOrEqual(
      2 * quota,
    );
    expect(new Set(outcomes)).toEqual(new Set(['stored', 'QUOTA_EXCEEDED']));
    const { used } = await usage();
    expect(used).toBeGreaterThan(quota - MIB);
    expect(await usage()).toEqual(await sumUsage(ports.db, place));
  });
});
