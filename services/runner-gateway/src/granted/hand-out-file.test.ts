import { hash, randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BlobKey, createBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import { type Attachment, idFromUuid } from '@attache/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HandedBytes } from '../files/handed-out.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import { handOutFile } from './hand-out-file.ts';
import type { Granted } from './read-granted.ts';
import type { SocketOwner } from './socket-owner.ts';

const LEAST_SWAPS = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 100 : 1_000;

const bytes = Buffer.from('PK and more');
const sha256 = hash('sha256', bytes);
const id = idFromUuid('attachment', randomUUID());

let root: string;
let deps: OwningDeps;
let owner: SocketOwner;
let noted: HandedBytes[];
let logged: number;
let recordEvent: () => Promise<void>;
let key: BlobKey;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'attache-handing-'));
  const blobs = await createFileBlobStore({ root: join(root, 'blobs') });
  key = createBlobKey(randomUUID(), randomBytes(16));
  await blobs.put(key, Readable.from([bytes]));
  [noted, logged] = [[], 0];
  recordEvent = async () => {
    logged += 1;
  };
  const settings = { agentsFolder: join(root, 'agents') };
  deps = { blobs, settings, ownership: { asOwner: () => recordEvent() } } as unknown as OwningDeps;
  owner = {
    ...{ session: { tenantId: randomUUID(), sessionId: randomUUID() }, agentId: randomUUID(), token: '' },
    folder: join(root, 'agents', 'agt'),
    noteHandedOut: (_, handed) => noted.push(handed),
  };
});
afterEach(() => rm(root, { recursive: true, force: true }));

const grantedOf = (changes: Partial<Granted> = {}): Granted => ({
  attachment: { id, sha256 } as Attachment,
  ...{ key, mimeType: 'application/zip', sha256, sizeBytes: bytes.length, variantId: undefined, generation: 0 },
  uploadedBy: null,
  ...changes,
});
const handOut = (changes: Partial<Granted> = {}) => handOutFile(deps, owner, grantedOf(changes));
const listHanded = async () => [
  ...(await readdir(join(owner.folder, 'files')).catch(() => [])),
  ...(await readdir(join(root, 'agents', 'views')).catch(() => [])),
];

describe('a copy that an agent is handed', () => {
  it('is read-only, whole, named by its id and its type, logged and noted [AT-32 BX-10 DL-78 SR-25]', async () => {
    const path = await handOut();
    expect(path).toBe(join(owner.folder, 'files', `${id}.zip`));
    expect((await stat(path)).mode & 0o777).toBe(0o400);
    expect(await readFile(path)).toEqual(bytes);
    expect([logged, noted]).toEqual([1, [{ sha256, sizeBytes: bytes.length }]]);
    expect(await listHanded()).toEqual([`${id}.zip`]);
    const variantId = idFromUuid('variant', randomUUID());
    expect(await handOut({ variantId, mimeType: 'x/../../y' })).toBe(join(owner.folder, 'files', `${variantId}.bin`));
  });

  it('is named to a sandboxed agent as that finds it [BX-22]', async () => {
    owner = { ...owner, shownFolder: '/agent' };
    const place = `/agent/files/${id}.zip`;
    expect([await handOut(), await handOut()]).toEqual([place, place]);
    expect(await listHanded()).toEqual([`${id}.zip`]);
  });

  it.each([
    ['written over', (path: string) => chmod(path, 0o600).then(() => writeFile(path, 'PK and LESS'))],
    ['made writable', (path: string) => chmod(path, 0o600)],
    ['a link to another file', (path: string) => rm(path).then(() => symlink('/etc/hostname', path))],
    ['a folder', (path: string) => rm(path).then(() => mkdir(join(path, 'deep'), { recursive: true }))],
    ['given another name', (path: string) => link(path, join(root, 'other name'))],
    ['gone', (path: string) => rm(path)],
  ])('and that was %s is whole again at the next call [BX-10]', async (_, damage) => {
    const path = await handOut();
    await damage(path);
    expect(await handOut()).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o400);
    expect(await readFile(path)).toEqual(bytes);
    expect(logged).toBe(2);
  });

  it.each([
    ['a link to a folder', () => symlink(root, join(owner.folder, 'files'))],
    ['a link to nothing', () => symlink(join(root, 'nothing'), join(owner.folder, 'files'))],
    ['a file', () => writeFile(join(owner.folder, 'files'), '')],
  ])('is none where %s takes the place of its folder, and nothing is written there [S19]', async (_, put) => {
    await mkdir(owner.folder, { recursive: true });
    await put();
    const before = await readdir(root);
    await expect(handOut()).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect([await readdir(root), logged]).toEqual([before, 0]);
  });

  it('is never outside while its folder is swapped with a link, again and again [S19]', async () => {
    const [files, aside, outside] = [join(owner.folder, 'files'), join(root, 'aside'), join(root, 'outside')];
    await mkdir(files, { recursive: true });
    await mkdir(outside);
    const putBack = async (): Promise<void> => {
      // The gateway may have made a folder in the gap.
      await rm(files, { recursive: true, force: true });
      await rename(aside, files).catch(putBack);
    };
    let isOver = false;
    const swapping = (async () => {
      let swaps = 0;
      for (; swaps < LEAST_SWAPS || !isOver; swaps += 1) {
        await rename(files, aside);
        await symlink(outside, files).catch(() => {});
        await putBack();
      }
      return swaps;
    })();
    const outcomes: string[] = [];
    for (let count = 0; count < 50; count += 1) {
      outcomes.push(
        await handOut().then(
          () => 'handed',
          (error) => error.code,
        ),
      );
      await rm(join(aside, `${id}.zip`), { force: true });
    }
    isOver = true;
    expect(await swapping).toBeGreaterThanOrEqual(LEAST_SWAPS);
    expect(await readdir(outside)).toEqual([]);
    expect(outcomes.every((outcome) => ['handed', 'INVALID_REQUEST', 'ENOENT'].includes(outcome))).toBe(true);
  });

  it('is the same file where nothing happened to it', async () => {
    const first = await stat(await handOut());
    expect((await stat(await handOut())).ino).toBe(first.ino);
  });

  it('is none where the store holds other bytes than were uploaded [BX-10 SR-20]', async () => {
    await expect(handOut({ sha256: 'a'.repeat(64) })).rejects.toMatchObject({ code: 'CHECKSUM_MISMATCH' });
    expect([await listHanded(), logged, noted]).toEqual([[], 0, []]);
  });

  it('is none where the log does not take it [SR-25 AT-31]', async () => {
    recordEvent = () => Promise.reject(new Error('no database'));
    await expect(handOut()).rejects.toThrow('no database');
    expect([await listHanded(), noted]).toEqual([[], []]);
  });

  it('is made whole by several calls at once', async () => {
    const paths = await Promise.all(Array.from({ length: 8 }, () => handOut()));
    expect(new Set(paths).size).toBe(1);
    expect(await readFile(String(paths[0]))).toEqual(bytes);
    expect(await listHanded()).toEqual([`${id}.zip`]);
  });
});
