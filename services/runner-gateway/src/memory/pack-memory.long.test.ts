import { randomBytes } from 'node:crypto';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BlobStore, createBlobKey, parseBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import { dropUnusedPacks, type KeptFile } from '@attache/domain';
import type { ProgramMemory } from '@attache/programs/program-memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMemory, hasMemory, removeMemory } from './find-memory.ts';
import { searchSecrets } from './find-secret.ts';
import { type KeptMemory, nothingKept } from './kept-memory.ts';
import { packMemory, SecretFound } from './pack-memory.ts';
import { restoreFiles } from './restore-files.ts';
import { writePack } from './write-pack.ts';

const TENANT = '01999999-0000-7000-8000-000000000001';
const reference = 'conversation-1';
const memory: ProgramMemory = {
  files: [
    { path: 'config/talk/*/{reference}.jsonl', form: 'lines', isNeeded: true },
    { path: 'config/talk/*/{reference}/**', form: 'whole', isNeeded: false },
    { path: 'config/data.db', form: 'database', isNeeded: false },
  ],
};
const TALK = `config/talk/work/${reference}.jsonl`;

let root: string;
let folder: string;
let blobs: BlobStore;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-checkpoint-'));
  folder = path.join(root, 'agent');
  blobs = await createFileBlobStore({ root: path.join(root, 'blobs') });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(name: string, content: string | Buffer): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), content);
}

type Kept = Pick<KeptMemory, 'files'> & {
  packs: { blobId: string; key: string; rawBytes: number }[];
  storedBytes: number;
};

async function keep(kept: KeptMemory = nothingKept, secrets: string[] = []): Promise<Kept> {
  const files = (await findMemory(folder, memory, reference)) ?? [];
  const { bytes, packed } = packMemory({ folder, files, kept, secrets: searchSecrets(secrets), isStill: () => true });
  const key = createBlobKey(TENANT, randomBytes(16));
  const { storedBytes } = await writePack(
    blobs,
    key,
    bytes,
    files.reduce((sum, file) => sum + file.sizeBytes, 0),
  );
  const former = kept.packs as Kept['packs'];
  const packs = [...former, { blobId: key, key, rawBytes: packed.rawBytes }];
  const used = dropUnusedPacks({ packs: packs.map(({ blobId }) => blobId), files: packed.files });
  return { packs: packs.filter(({ blobId }) => used.packs.includes(blobId)), files: used.files, storedBytes };
}

const place = () => path.join(root, 'restored');
const restore = ({ packs, files }: Kept) =>
  restoreFiles(blobs, { packs, files: [...files], reference }, { folder: place(), memory });
const readBack = (name: string) => readFile(path.join(place(), name));

const line = (sizeBytes: number) => `${JSON.stringify({ text: randomBytes(sizeBytes).toString('base64') })}\n`;

describe('a checkpoint and its way back [BX-26]', () => {
  it.each([1_000, 65_535, 262_144, 262_145, 1_000_000, 20_000_000])(
    'of a transcript of %i random bytes: what is added is all that is stored again',
    async (sizeBytes) => {
      const first = line(sizeBytes);
      await put(TALK, first);
      const one = await keep();
      await put(TALK, first + line(1_000));
      const two = await keep(one);
      expect(two.storedBytes).toBeLessThan(1.2 * 1_400 + 64 * 1024);
      expect(two.packs.map(({ rawBytes }) => rawBytes)[1]).toBeLessThan(1_400);
      await restore(two);
      expect(await readBack(TALK)).toEqual(await readFile(path.join(folder, TALK)));
      expect((await stat(path.join(place(), TALK))).mode & 0o777).toBe(0o600);
      await restore(one);
      expect(String(await readBack(TALK))).toBe(first);
    },
  );

  it('of a picture that stands twice in a transcript: it is stored once', async () => {
    const picture = line(3_000_000);
    await put(TALK, `${picture}${line(2_000_000)}${picture}`);
    expect((await keep()).storedBytes).toBeLessThan(5_000_000 * 1.03);
  });

  it('of a transcript to its last whole line', async () => {
    await put(TALK, `${line(10)}${line(300_000)}{"text":"${'x'.repeat(600_000)}`);
    await restore(await keep());
    const back = String(await readBack(TALK));
    expect(back.endsWith('"}\n')).toBe(true);
    expect(back.split('\n')).toHaveLength(3);
  });

  it('of a transcript that was written again: nothing of the former one is needed', async () => {
    await put(TALK, line(50_000));
    const one = await keep();
    for (const next of [line(60_000), line(100)]) {
      await put(TALK, next);
      const two = await keep(one);
      expect(two.packs).toHaveLength(1);
      await restore(two);
      expect(String(await readBack(TALK))).toBe(next);
    }
  });

  it('of a database: blocks that stayed are not stored again, and no bytes of two are mixed', async () => {
    const blocks = Array.from({ length: 200 }, () => randomBytes(16 * 1024));
    const [zero = Buffer.alloc(0)] = blocks;
    await put(TALK, line(10));
    await put('config/data.db', Buffer.concat([...blocks, zero, Buffer.from('end')]));
    let kept = await keep();
    expect(kept.packs[0]?.rawBytes).toBeLessThan(200 * 16 * 1024 + 100);
    for (let turn = 0; turn < 5; turn += 1) {
      for (const at of [turn, 100 + turn, 199]) blocks[at] = randomBytes(16 * 1024);
      blocks.push(randomBytes(16 * 1024));
      await put('config/data.db', Buffer.concat([...blocks, zero]));
      kept = await keep(kept);
      expect(kept.packs.at(-1)?.rawBytes).toBe(4 * 16 * 1024);
    }
    await restore(kept);
    expect((await readBack('config/data.db')).equals(Buffer.concat([...blocks, zero]))).toBe(true);
  });

  it('with all files of the conversation, and none of another', async () => {
    await put(TALK, line(10));
    await put(`config/talk/work/${reference}/results/1.txt`, 'result');
    await put(`config/talk/work/${reference}/results/empty`, '');
    await put('config/talk/work/other.jsonl', 'other');
    await put('config/auth.json', 'key');
    await restore(await keep());
    const names = await readdir(place(), { recursive: true, withFileTypes: true });
    expect(
      names
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['1.txt', `${reference}.jsonl`, 'empty'].toSorted());
  });
});

describe('what an agent puts in the way [S19]', () => {
  it('links, other names of files, pipes of folders: nothing of it is read, and what is needed and is a link is missing', async () => {
    const outside = path.join(root, 'outside');
    await mkdir(outside);
    await writeFile(path.join(outside, 'key.txt'), 'of another agent');
    await put(TALK, line(10));
    const results = path.join(folder, `config/talk/work/${reference}`);
    await mkdir(results, { recursive: true });
    await symlink(path.join(outside, 'key.txt'), path.join(results, 'link'));
    await link(path.join(outside, 'key.txt'), path.join(results, 'other-name'));
    await symlink(outside, path.join(results, 'folder'));
    expect((await findMemory(folder, memory, reference))?.map(({ path: name }) => name)).toEqual([TALK]);
    await rm(path.join(folder, TALK));
    await symlink(path.join(outside, 'key.txt'), path.join(folder, TALK));
    expect(await hasMemory(folder, memory, reference)).toBe(false);
    await removeMemory(folder, memory);
    expect(await readFile(path.join(outside, 'key.txt'), 'utf8')).toBe('of another agent');
    expect(await readdir(path.dirname(path.join(folder, TALK)), { recursive: true })).toEqual([reference]);
  });

  it('a secret in what is new: nothing is stored [S27]', async () => {
    await put(TALK, line(300_000));
    const kept = await keep(nothingKept, ['sk-live-0123456789']);
    await put(TALK, `${await readFile(path.join(folder, TALK), 'utf8')}{"text":"my key is sk-live-0123456789"}\n`);
    await expect(keep(kept, ['sk-live-0123456789'])).rejects.toBeInstanceOf(SecretFound);
    const stored = await readdir(path.join(root, 'blobs'), { recursive: true, withFileTypes: true });
    expect(stored.filter((entry) => entry.isFile() && entry.name !== 'store.json')).toHaveLength(1);
  });
});

describe('a checkpoint that is not as it was stored [BX-26]', () => {
  const given = async () => {
    await put(TALK, line(100_000));
    return keep();
  };
  const change = async ({ packs }: Kept, edit: (bytes: Buffer) => Buffer) => {
    const key = parseBlobKey(packs[0]?.key ?? '');
    const bytes = Buffer.concat(await (await blobs.get(key)).toArray());
    await blobs.delete(key);
    await blobs.put(
      key,
      (async function* () {
        yield edit(bytes);
      })(),
    );
  };
  const flip = (bytes: Buffer, at: number) => {
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };
  const files = (kept: Kept, edit: (file: KeptFile) => Partial<KeptFile>): Kept => ({
    ...kept,
    files: kept.files.map((file) => ({ ...file, ...edit(file) })),
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['cut in the middle', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['empty', () => Buffer.from('')],
    ['no pack', () => randomBytes(1_000)],
    ['altered in the middle', (bytes: Buffer) => flip(bytes, bytes.length >> 1)],
    ['altered at its end', (bytes: Buffer) => flip(bytes, bytes.length - 1)],
  ] as const)('is refused where its pack is %s, and leaves nothing', async (_, edit) => {
    const kept = await given();
    await change(kept, edit);
    await expect(restore(kept)).rejects.toThrow();
    await expect(stat(place())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([
    ['a path that leads outside', () => ({ path: 'config/talk/../../../escaped.jsonl' })],
    ['a file of another conversation', () => ({ path: 'config/talk/work/other.jsonl' })],
    ['an absolute path', () => ({ path: `/${TALK}` })],
    ['another digest', () => ({ sha256: '0'.repeat(64) })],
    ['another length', ({ sizeBytes }: KeptFile) => ({ sizeBytes: sizeBytes + 1 })],
    [
      'a stretch that is not there',
      ({ extents }: KeptFile) => ({ extents: extents.map((each) => ({ ...each, offset: 1 })) }),
    ],
    [
      'a pack that is not there',
      ({ extents }: KeptFile) => ({ extents: extents.map((each) => ({ ...each, pack: 7 })) }),
    ],
  ] as const)('is refused with %s', async (_, edit) => {
    await expect(restore(files(await given(), edit))).rejects.toThrow();
    await expect(stat(place())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is refused where more comes out of a pack than was packed', async () => {
    const kept = await given();
    await expect(restore({ ...kept, packs: kept.packs.map((pack) => ({ ...pack, rawBytes: 10 })) })).rejects.toThrow();
  });
});
