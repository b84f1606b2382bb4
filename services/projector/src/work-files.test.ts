import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredAttachment } from '@attache/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChanged, nameWorkFile, readWorkFile, withWorkFile } from './work-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-work-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000])('reads a file of %i bytes and removes it', async (sizeBytes) => {
  const bytes = randomBytes(sizeBytes);
  const path = await withWorkFile(folder, async (made) => {
    await writeFile(made, bytes);
    const pieces: Uint8Array[] = [];
    for await (const piece of readWorkFile(made)) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    return made;
  });
  expect(existsSync(path)).toBe(false);
});

it.each([1, 256 * 1024, 256 * 1024 + 1, 3_000_000])('knows a file of %i bytes by its digest', async (sizeBytes) => {
  const bytes = randomBytes(sizeBytes);
  const stored = { attachment: { id: 'att_1', sha256: hash('sha256', bytes) } } as unknown as StoredAttachment;
  await withWorkFile(folder, async (path) => {
    await writeFile(path, bytes);
    expect(await findChanged(stored, path)).toBeUndefined();
    bytes[sizeBytes - 1] = (bytes[sizeBytes - 1] ?? 0) ^ 1;
    await writeFile(path, bytes);
    expect(await findChanged(stored, path)).toMatchObject({ code: 'attachment_checksum_mismatch' });
  });
});

it('has nothing to remove where nothing was made', async () => {
  await nameWorkFile(folder)[Symbol.asyncDispose]();
  await expect(withWorkFile(folder, async () => 'made nothing')).resolves.toBe('made nothing');
});

it('says that its folder is broken', async () => {
  const broken = join(folder, 'no-folder');
  await writeFile(broken, '');
  await expect(nameWorkFile(broken)[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'ENOTDIR' });
});

it('opens a file only when its first byte is asked for', async () => {
  const bytes = readWorkFile(join(folder, 'none'));
  await expect(bytes.next()).rejects.toMatchObject({ code: 'ENOENT' });
});
