import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  copyTemplateFolder,
  listBlobKeys,
  listTemporaryFiles,
  type SpawnedStack,
  spawnStack,
} from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DISK_MEBIBYTES = 70;
const FILE_BYTES = 3 * 1024 * 1024;

// In a mount namespace of its own: a small disk with a copy of the data folder, put over it.
const onSmallDisk = [
  'set -e',
  'mount -t tmpfs -o size="$3"m none "$2"',
  'cp -a "$1/." "$2/"',
  'mount --bind "$2" "$1"',
  'shift 3',
  'exec "$@"',
].join('\n');
const inNamespace = ['unshare', '--map-root-user', '--mount', 'sh', '-c'];
const canMount =
  spawnSync('unshare', [...inNamespace.slice(1), `mount -t tmpfs none '${tmpdir()}'`], { stdio: 'ignore' }).status ===
  0;

describe.skipIf(!canMount)('a data folder that is full (needs user namespaces)', () => {
  let dataDir: string;
  let disk: string;
  let stack: SpawnedStack;

  beforeAll(async () => {
    dataDir = await copyTemplateFolder();
    disk = await mkdtemp(join(tmpdir(), 'attache-disk-'));
    const wrapper = [...inNamespace, onSmallDisk, 'sh', dataDir, disk, String(DISK_MEBIBYTES)];
    stack = await spawnStack(dataDir, {}, { wrapper });
  });
  afterAll(async () => {
    await stack.end('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
    await rm(disk, { recursive: true, force: true });
  });

  it('takes no more, says so, loses nothing and continues', async () => {
    const { session } = await stack.api.createSession();
    const path = `/sessions/${session.id}/attachments`;
    const upload = (raw: Uint8Array<ArrayBuffer>) =>
      stack.api.call<{ attachment?: { id: string; sha256: string }; displayUrl?: string; code?: string }>('PUT', path, {
        raw,
        headers: { 'content-type': 'application/octet-stream' },
      });
    const kept: { url: string; sha256: string }[] = [];
    for (;;) {
      const content = Uint8Array.from(randomBytes(FILE_BYTES));
      const { status, body } = await upload(content);
      if (status !== 201) {
        expect([status, body.code]).toEqual([503, 'STORAGE_UNAVAILABLE']);
        break;
      }
      kept.push({ url: body.displayUrl ?? '', sha256: createHash('sha256').update(content).digest('hex') });
    }
    expect(kept.length).toBeGreaterThan(1);
    for (const { url, sha256 } of kept) {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    }
    const { body } = await stack.api.call<{ items: unknown[] }>('GET', path);
    expect(body.items.length).toBe(kept.length);
    // The folder as the process sees it.
    const seen = join('/proc', String(stack.process.pid), 'root', dataDir);
    await expect.poll(() => listTemporaryFiles(seen), { timeout: 60_000 }).toEqual([]);
    await expect.poll(async () => (await listBlobKeys(seen)).length, { timeout: 60_000 }).toBe(kept.length);
    const small = await upload(new TextEncoder().encode('a small one still fits'));
    expect(small.status).toBe(201);
    expect(await stack.end('SIGTERM')).toBe(0);
  });
});
