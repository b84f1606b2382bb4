import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENTRIES_PER_PART, type Held, MAX_DEPTH, MIN_ENTRY_BYTES, measureFolder } from './measure-folder.ts';

const MB = 1_000_000;
const NAME_BYTES = 250;
const fixture = (name: string) => fileURLToPath(new URL(`__fixtures__/${name}`, import.meta.url));
let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-measure-'));
});
afterEach(() => execFileSync('rm', ['-rf', root]));

async function measure(folder: string): Promise<{ bytes: number; partCount: number }> {
  const held: Held = { bytes: 0 };
  let partCount = 1;
  for await (const _ of measureFolder(folder, held)) partCount += 1;
  return { ...held, partCount };
}

function makeFiles(folder: string, count: number) {
  mkdirSync(folder);
  for (let made = 0; made < count; made += 1) writeFileSync(path.join(folder, String(made)), '');
}

describe('the disk space of a folder', () => {
  it('is that of all files below it, and of no file elsewhere', async () => {
    const [own, other] = [path.join(root, 'own'), path.join(root, 'other')];
    await mkdir(path.join(own, 'a', 'b'), { recursive: true });
    await mkdir(other);
    await writeFile(path.join(own, 'a', 'b', 'two'), Buffer.alloc(2 * MB, 1));
    await writeFile(path.join(own, 'one'), Buffer.alloc(MB, 1));
    await writeFile(path.join(other, 'large'), Buffer.alloc(9 * MB, 1));
    await symlink(other, path.join(own, 'a', 'elsewhere'));
    const { bytes } = await measure(own);
    expect(bytes).toBeGreaterThanOrEqual(3 * MB);
    expect(bytes).toBeLessThan(4 * MB);
    expect((await measure(path.join(root, 'gone'))).bytes).toBe(0);
  });

  it('is what is written, and not what a sparse file says', async () => {
    await writeFile(path.join(root, 'sparse'), '');
    await truncate(path.join(root, 'sparse'), 1e12);
    expect((await measure(root)).bytes).toBeLessThan(MB);
  });

  it('counts each empty file for what a disk needs for one, part by part [BX-22]', async () => {
    makeFiles(path.join(root, 'many'), 12_000);
    const { bytes, partCount } = await measure(root);
    expect(bytes).toBeGreaterThanOrEqual(12_000 * MIN_ENTRY_BYTES);
    expect(partCount).toBe(1 + Math.floor(12_001 / ENTRIES_PER_PART));
  });

  it('counts what lies under names that are no UTF-8 [BX-22]', async () => {
    const place = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
    mkdirSync(place('folder\xff'));
    writeFileSync(place('file\xff'), Buffer.alloc(2 * MB, 1));
    writeFileSync(place('folder\xff/\xfe'), Buffer.alloc(3 * MB, 1));
    const { bytes } = await measure(root);
    expect(bytes).toBeGreaterThanOrEqual(5 * MB);
    expect(bytes).toBeLessThan(6 * MB);
  });

  it('counts a file with several names once, and each further name as an empty file [BX-22]', async () => {
    makeFiles(path.join(root, 'names'), 0);
    await writeFile(path.join(root, 'file'), Buffer.alloc(2 * MB, 1));
    const before = (await measure(root)).bytes;
    for (let made = 0; made < 50; made += 1) linkSync(path.join(root, 'file'), path.join(root, 'names', String(made)));
    const added = (await measure(root)).bytes - before;
    expect(added).toBeGreaterThanOrEqual(50 * MIN_ENTRY_BYTES);
    expect(added).toBeLessThan(MB);
  });

  it('counts what lies under a path of more than 4,096 bytes [BX-22]', async () => {
    execFileSync('/bin/sh', [fixture('nest.sh'), root, String(MAX_DEPTH - 4), 'n'.repeat(NAME_BYTES), String(2 * MB)]);
    expect((MAX_DEPTH - 4) * NAME_BYTES).toBeGreaterThan(4_096);
    const { bytes } = await measure(root);
    expect(bytes).toBeGreaterThanOrEqual(2 * MB);
    expect(bytes).toBeLessThan(3 * MB);
  });

  it('is infinite where folders nest deeper than a walk goes [BX-22]', async () => {
    execFileSync('/bin/sh', [fixture('nest.sh'), root, String(MAX_DEPTH + 10), 'n', '1']);
    expect((await measure(root)).bytes).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts what lies in folders that their owner has closed, also for a gateway that is not root [BX-22]', async () => {
    for (const [name, mode] of Object.entries({ closed: 0o000, listed: 0o400, entered: 0o100 })) {
      await mkdir(path.join(root, name));
      await writeFile(path.join(root, name, 'large'), Buffer.alloc(MB, 1));
      await chmod(path.join(root, name), mode);
    }
    if (process.getuid?.() === 0) {
      const nobody = 1_999_999_999;
      await chown(root, nobody, nobody);
      for (const name of ['closed', 'listed', 'entered']) await chown(path.join(root, name), nobody, nobody);
      const program = `process.setgroups([]); process.setgid(${nobody}); process.setuid(${nobody});
        const held = { bytes: 0 };
        for await (const _ of measureFolder(${JSON.stringify(root)}, held));
        console.log(held.bytes);`;
      const load = `const { measureFolder } = await import(${JSON.stringify(fixture('../measure-folder.ts'))});`;
      const said = execFileSync(process.execPath, ['--input-type=module', '-e', `${load}${program}`], {
        ...{ encoding: 'utf8' as const, cwd: '/' },
      });
      expect(Number(said)).toBeGreaterThanOrEqual(3 * MB);
    }
    expect((await measure(root)).bytes).toBeGreaterThanOrEqual(3 * MB);
    await rm(root, { recursive: true, force: true });
  });
});
