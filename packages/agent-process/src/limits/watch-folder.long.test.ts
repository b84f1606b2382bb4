import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import { spawnAgent } from '../spawn-agent.ts';
import { ENTRIES_PER_LOOK, measureFolder, watchFolder } from './watch-folder.ts';

const MB = 1_000_000;
const MANY = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 20_000 : 100_000;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

const restShortly = (signal: AbortSignal) => sleep(20, undefined, { signal }).catch(() => undefined);

/** Each takes one block of the disk. */
async function makeFiles(folder: string, count: number) {
  await mkdir(folder);
  for (let made = 0; made < count; made += 1) writeFileSync(path.join(folder, String(made)), 'a');
}

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

  it('is looked at in parts where it holds many files, with a rest after each part [BX-22]', async () => {
    await makeFiles(path.join(root, 'many'), 12_000);
    let restCount = 0;
    const pace = { rest: async () => (restCount += 1) };
    const paced = await measureFolder(root, Number.POSITIVE_INFINITY, pace);
    expect(restCount).toBe(Math.floor(12_001 / ENTRIES_PER_LOOK));
    expect(paced).toBe(await measureFolder(root, Number.POSITIVE_INFINITY));
  });

  it('is looked at no further once the agent has ended', async () => {
    await makeFiles(path.join(root, 'many'), 12_000);
    const ended = new AbortController();
    let restCount = 0;
    const rest = async () => {
      restCount += 1;
      ended.abort();
    };
    await measureFolder(root, Number.POSITIVE_INFINITY, { rest, signal: ended.signal });
    expect(restCount).toBe(1);
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
    const watch = watchFolder(child, root, 2 * MB, restShortly);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toBe('stopped: its folder held more than 2000000 bytes');
  });

  it('is ended above its limit although it made many files before [BX-22]', async () => {
    const child = await start(
      `mkdir many; cd many; seq ${MANY} | xargs touch; head -c 50000000 /dev/zero > large; sleep 600`,
    );
    const watch = watchFolder(child, root, 40 * MB, restShortly);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toBe('stopped: its folder held more than 40000000 bytes');
  });

  it('with many files is looked at in parts, and ended in the part that is too much [BX-22]', async () => {
    await makeFiles(path.join(root, 'many'), 12_000);
    const limitBytes = 0.75 * (await measureFolder(root, Number.POSITIVE_INFINITY));
    const child = await start('sleep 600');
    let restCount = 0;
    let restsBeforeEnd = 0;
    const { exited } = child;
    const signalGroup: typeof child.signalGroup = (signal) => {
      restsBeforeEnd = restCount;
      return child.signalGroup(signal);
    };
    watchFolder({ exited, signalGroup }, root, limitBytes, (signal) => {
      restCount += 1;
      return restShortly(signal);
    });
    expect(await exited).toMatchObject({ signal: 'SIGKILL' });
    expect(restsBeforeEnd).toBe(1 + Math.floor((0.75 * 12_000) / ENTRIES_PER_LOOK));
  });

  it('lives on below it, and without one', async () => {
    const child = await start('head -c 500000 /dev/zero > small; sleep 0.3; exit 5');
    const watches = [watchFolder(child, root, 2 * MB, restShortly), watchFolder(child, root, undefined, restShortly)];
    expect(await child.exited).toMatchObject({ exitCode: 5 });
    expect(watches.map(({ excess }) => excess)).toEqual([undefined, undefined]);
  });
});
