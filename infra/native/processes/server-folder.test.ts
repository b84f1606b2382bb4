import { chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { canEnter } from './server-account.ts';
import { keepSecret, placePostgresFolder } from './server-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-folder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

describe('keepSecret', () => {
  it('makes one that stays, for this account alone', async () => {
    const secret = await keepSecret(folder, 'a');
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    expect(await keepSecret(folder, 'a')).toBe(secret);
    expect(await keepSecret(folder, 'b')).not.toBe(secret);
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o600);
  });

  it('keeps what it is given the first time', async () => {
    expect(await keepSecret(folder, 'a', () => 'one')).toBe('one');
    expect(await keepSecret(folder, 'a', () => 'two')).toBe('one');
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('one');
  });
});

describe('canEnter', () => {
  const stranger = { uid: 4_000_000, gid: 4_000_000 };

  it('asks each folder on the way', async () => {
    const inner = join(folder, 'inner');
    await mkdir(inner, { mode: 0o755 });
    expect(await canEnter(inner, stranger)).toBe(false);
    await chmod(folder, 0o711);
    expect(await canEnter(inner, stranger)).toBe(true);
  });
});

describe('placePostgresFolder', () => {
  it('lies inside where the server may enter', async () => {
    await chmod(folder, 0o711);
    expect(await placePostgresFolder(folder)).toBe(join(folder, 'postgres'));
  });

  it.runIf(process.getuid?.() === 0)(
    'lies elsewhere, always at the same place, where root keeps others out',
    async () => {
      const place = await placePostgresFolder(folder);
      onTestFinished(() => rm(join(place, '..'), { recursive: true }));
      expect(place.startsWith(folder)).toBe(false);
      expect(await placePostgresFolder(folder)).toBe(place);
    },
  );
});
