import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder } from './remove-folder.ts';

const NOBODY = 1_999_999_998;
const fixture = (name: string) => fileURLToPath(new URL(`__fixtures__/${name}`, import.meta.url));
let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-remove-'));
  folder = path.join(root, 'left');
  mkdirSync(folder);
});
afterEach(() => execFileSync('rm', ['-rf', root]));

async function remove(place = folder): Promise<number> {
  let partCount = 1;
  for await (const _ of removeFolder(place)) partCount += 1;
  return partCount;
}

it('removes folders however deep they nest and however long their paths are, part by part [BX-20]', async () => {
  execFileSync('/bin/sh', [fixture('nest.sh'), folder, '600', 'n'.repeat(200), '10']);
  execFileSync('/bin/sh', [fixture('nest.sh'), folder, '3', 'short', '10']);
  for (let count = 0; count < 5_000; count += 1) writeFileSync(path.join(folder, `file-${count}`), '');
  expect(await remove()).toBeGreaterThan(1);
  expect(readdirSync(root)).toEqual([]);
});

it('removes what has names that are no UTF-8 [BX-20]', async () => {
  const place = (name: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
  for (const name of ['top\xff', 'top\xff/within\xfe', 'top\xff/within\xfe/deeper\x80']) mkdirSync(place(name));
  for (const name of ['\xff', 'top\xff/\xff', 'top\xff/within\xfe/deeper\x80/\xff']) writeFileSync(place(name), 'a');
  await remove();
  expect(readdirSync(root)).toEqual([]);
});

it('follows no link, and finds nothing to do where there is no folder [BX-20 S19]', async () => {
  const outside = path.join(root, 'outside');
  mkdirSync(outside);
  await writeFile(path.join(outside, 'kept'), 'kept');
  await symlink(outside, path.join(folder, 'link'));
  await symlink(outside, path.join(root, 'top'));
  await remove(path.join(root, 'gone'));
  await remove();
  await remove(path.join(root, 'top'));
  expect(await readFile(path.join(outside, 'kept'), 'utf8')).toBe('kept');
  expect(existsSync(folder)).toBe(false);
});

it.runIf(process.getuid?.() === 0)(
  'removes what its owner has closed, also for a gateway that is not root [BX-20]',
  async () => {
    await chown(root, NOBODY, NOBODY);
    const places = ['closed', 'listed', 'closed/within', 'closed/within/deeper'].map((each) => path.join(folder, each));
    for (const place of places) mkdirSync(place);
    for (const place of [folder, ...places]) {
      await writeFile(path.join(place, 'file'), 'a', { mode: 0o000 });
      for (const each of [place, path.join(place, 'file')]) await chown(each, NOBODY, NOBODY);
    }
    for (const place of [...places].reverse()) await chmod(place, place.endsWith('listed') ? 0o500 : 0o000);
    const program = `const { removeFolder } = await import(${JSON.stringify(fixture('../remove-folder.ts'))});
    process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY});
    for await (const _ of removeFolder(${JSON.stringify(folder)}));`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: '/',
      encoding: 'utf8',
    });
    expect({ stderr, left: readdirSync(root) }).toEqual({ stderr: '', left: [] });
  },
);

it.runIf(process.getuid?.() === 0)('removes all but what resists, and throws for that [BX-20]', async () => {
  mkdirSync(path.join(folder, 'mounted', 'inner'), { recursive: true });
  for (const name of ['a', 'mounted/b', 'z']) writeFileSync(path.join(folder, name), '');
  const isFixed = spawnSync('chattr', ['+i', path.join(folder, 'mounted', 'b')]).status === 0;
  if (!isFixed) execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', path.join(folder, 'mounted', 'inner')]);
  try {
    await expect(remove()).rejects.toThrow(/EPERM|EBUSY/);
    const left = readdirSync(folder, { recursive: true }).map(String);
    expect(left.filter((each) => each === 'a' || each === 'z')).toEqual([]);
    expect(left.length).toBeGreaterThan(0);
  } finally {
    if (isFixed) execFileSync('chattr', ['-R', '-i', folder]);
    else execFileSync('sh', ['-c', `umount ${folder}/*/inner`]);
  }
  await remove();
  expect(existsSync(folder)).toBe(false);
});
