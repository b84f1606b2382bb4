import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import { spawnAgent } from '../spawn-agent.ts';
import { measureFolder, watchFolder } from './watch-folder.ts';

const MB = 1_000_000;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

describe('what a folder takes of the disk', () => {
  it('is that of all files below it, and of no file elsewhere', async () => {
    const [own, other] = [path.join(root, 'own'), path.join(root, 'other')];
    await mkdir(path.join(own, 'a', 'b'), { recursive: true });
    await mkdir(other);
    await writeFile(path.join(own, 'a', 'b', 'two'), Buffer.alloc(2 * MB, 1));
    await writeFile(path.join(own, 'one'), Buffer.alloc(MB, 1));
    await writeFile(path.join(other, 'large'), Buffer.alloc(9 * MB, 1));
    await symlink(other, path.join(own, 'a', 'elsewhere'));
    const heldBytes = await measureFolder(own, Number.POSITIVE_INFINITY);
    expect(heldBytes).toBeGreaterThanOrEqual(3 * MB);
    expect(heldBytes).toBeLessThan(4 * MB);
  });

  it('is what is written, and not what a sparse file says', async () => {
    await writeFile(path.join(root, 'sparse'), '');
    await truncate(path.join(root, 'sparse'), 1e12);
    expect(await measureFolder(root, Number.POSITIVE_INFINITY)).toBeLessThan(MB);
  });

  it('is looked at no further once it is too much, and nothing where it is gone', async () => {
    await Promise.all([1, 2, 3].map((each) => writeFile(path.join(root, String(each)), Buffer.alloc(MB, 1))));
    const enough = await measureFolder(root, MB / 2);
    expect(enough).toBeGreaterThan(MB / 2);
    expect(enough).toBeLessThan(2 * MB);
    expect(await measureFolder(path.join(root, 'gone'), 1)).toBe(0);
  });
});

describe('an agent', () => {
  async function start(script: string) {
    const spec = givenSpec({ command: ['sh', '-c', script], folder: root, socketPath: '', token: '' });
    await mkdir(path.join(root, 'work'), { recursive: true });
    const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: root };
    const context = { inherited: { PATH: '/usr/bin:/bin' }, redact: (each: string) => each };
    const outcome = await spawnAgent(spec, settings, context);
    if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
    return outcome.child;
  }

  it('is ended whose folder grows beyond its limit, and it is said why [BX-22]', async () => {
    const child = await start('head -c 5000000 /dev/zero > large; sleep 600');
    const watch = watchFolder(child, root, 2 * MB, 20);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toBe('stopped: its folder held more than 2000000 bytes');
  });

  it('lives on below it, and without one', async () => {
    const child = await start('head -c 500000 /dev/zero > small; sleep 0.3; exit 5');
    const watches = [watchFolder(child, root, 2 * MB, 20), watchFolder(child, root, undefined, 20)];
    expect(await child.exited).toMatchObject({ exitCode: 5 });
    expect(watches.map(({ excess }) => excess)).toEqual([undefined, undefined]);
  });
});
