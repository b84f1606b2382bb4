import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findInstalledVersion } from './find-installed-version.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'attache-installed-'));
  await add('node_modules/one/bin/deep/one.js', '');
  await add('node_modules/one/package.json', '{"version": "1.2.3"}');
  await add('node_modules/one/bin/package.json', '{"version": "9.9.9"}');
  await add('node_modules/@some/two/cli.js', '');
  await add('node_modules/@some/two/package.json', '{"version": "2.0.0"}');
  await add('node_modules/bad/cli.js', '');
  await add('node_modules/bad/package.json', '{"version": 7}');
  await add('own/cli.js', '');
  await add('own/package.json', '{"version": "4.0.0"}');
  await mkdir(join(root, 'bin'));
  for (const [name, file] of [
    ['one', 'node_modules/one/bin/deep/one.js'],
    ['two', 'node_modules/@some/two/cli.js'],
  ] as const)
    await symlink(join(root, file), join(root, 'bin', name));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function add(path: string, text: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
}

const find = (...command: string[]) =>
  findInstalledVersion(
    command.map((word) => word.replace(/^\.\//, `${root}/`)),
    join(root, 'bin'),
  );

it.each<[string[], string | undefined]>([
  [['one'], '1.2.3'],
  [['two', '--flag'], '2.0.0'],
  [['./bin/one'], '1.2.3'],
  [['./bin/one', './node_modules/@some/two/cli.js'], '2.0.0'],
  [['./own/cli.js'], undefined],
  [['./node_modules/bad/cli.js'], undefined],
  [['nobody'], undefined],
  [['./bin/nobody'], undefined],
  [[], undefined],
])('of %j it is %s [DL-100]', async (command, version) => {
  expect(await find(...command)).toBe(version);
});
