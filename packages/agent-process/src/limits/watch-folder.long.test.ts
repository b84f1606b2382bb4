import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import { ENTRIES_PER_PART, MIN_ENTRY_BYTES } from '../folder/measure-folder.ts';
import { spawnAgent } from '../spawn-agent.ts';
import { watchFolder } from './watch-folder.ts';

const MB = 1_000_000;
const MANY = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 20_000 : 100_000;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

const shortly = {
  rest: (signal: AbortSignal) => sleep(20, undefined, { signal }).catch(() => undefined),
  runPart: <T>(part: () => Promise<T>) => part(),
};

async function makeFiles(folder: string, count: number) {
  await mkdir(folder);
  for (let made = 0; made < count; made += 1) writeFileSync(path.join(folder, String(made)), '');
}

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
    const watch = watchFolder(child, root, 2 * MB, shortly);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toBe('stopped: its folder held more than 2000000 bytes');
  });

  it('is ended above its limit although it made many files before [BX-22]', async () => {
    const limitBytes = (MANY + 10_000) * MIN_ENTRY_BYTES;
    const child = await start(
      `mkdir many; cd many; seq ${MANY} | xargs touch; head -c 50000000 /dev/zero > large; sleep 600`,
    );
    const watch = watchFolder(child, root, limitBytes, shortly);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toBe(`stopped: its folder held more than ${limitBytes} bytes`);
  });

  it('is ended for empty files alone [BX-22]', async () => {
    const child = await start(`mkdir many; cd many; seq ${MANY} | xargs touch; sleep 600`);
    const watch = watchFolder(child, root, (MANY / 2) * MIN_ENTRY_BYTES, shortly);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toContain('its folder held more than');
  });

  it('with many files is looked at in parts, and ended in the part that is too much [BX-22]', async () => {
    await makeFiles(path.join(root, 'many'), 12_000);
    const child = await start('sleep 600');
    let partCount = 0;
    let partsBeforeEnd = 0;
    const signalGroup: typeof child.signalGroup = (signal) => {
      partsBeforeEnd = partCount;
      return child.signalGroup(signal);
    };
    watchFolder({ ...child, signalGroup }, root, 0.75 * 12_000 * MIN_ENTRY_BYTES, {
      ...shortly,
      runPart(part) {
        partCount += 1;
        return part();
      },
    });
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(partsBeforeEnd).toBe(Math.ceil((0.75 * 12_000) / ENTRIES_PER_PART));
  });

  it.each([
    { held: 'an open file without a name', keep: 'sleep 600' },
    {
      held: 'such files in several processes, each small',
      keep: 'for i in 1 2 3; do head -c 900000 /dev/zero >&$((i+3)); done; sleep 600',
    },
  ])('is ended for $held [BX-22]', async ({ keep }) => {
    const child = await start(
      `exec 3>held; rm held; for i in 4 5 6; do eval "exec $i>small"; rm small; done
      case "${keep}" in *for*) ;; *) head -c 5000000 /dev/zero >&3;; esac; ${keep}`,
    );
    const watch = watchFolder(child, root, 2 * MB, shortly);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toBe('stopped: its folder held more than 2000000 bytes');
  });

  it('lives on below it, and without one', async () => {
    const child = await start('head -c 500000 /dev/zero > small; sleep 0.3; exit 5');
    const watches = [watchFolder(child, root, 2 * MB, shortly), watchFolder(child, root, undefined, shortly)];
    expect(await child.exited).toMatchObject({ exitCode: 5 });
    expect(watches.map(({ excess }) => excess)).toEqual([undefined, undefined]);
  });
});
