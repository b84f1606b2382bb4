import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockFolder } from './lock-folder.ts';

const PROGRAM = `
  import { lockFolder } from ${JSON.stringify(fileURLToPath(new URL('lock-folder.ts', import.meta.url)))};
  const outcome = await lockFolder(process.argv[1]).then(() => 'held', (error) => error.code + ' ' + error.message);
  process.stdout.write(outcome + '\\n');
  setInterval(() => {}, 1000);
`;

let folder: string;
let children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-lock-'));
});

afterEach(async () => {
  await Promise.all(children.map(kill));
  children = [];
  await rm(folder, { recursive: true, force: true });
});

/** A process that tries to take the folder and then stays; what it says. */
async function startTaker(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  });
  children.push(child);
  if (!child.stdout) throw new Error('the child has no output');
  const [chunk] = await once(child.stdout, 'data');
  return { child, said: String(chunk).trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const refusal = (error: unknown) => (error as { code?: string }).code;
const take = () => lockFolder(folder).then(() => 'held', refusal);

/** A lock as this process would write it, with something changed. */
async function writeLock(change: Record<string, unknown>): Promise<void> {
  const lock = await lockFolder(folder);
  const own = JSON.parse(await readFile(join(folder, 'lock'), 'utf8'));
  await lock.release();
  await writeFile(join(folder, 'lock'), JSON.stringify({ ...own, ...change }));
}

describe('lockFolder', () => {
  it('refuses a second process while the first lives, and takes over once it was killed', async () => {
    const first = await startTaker();
    expect(first.said).toBe('held');
    const second = await startTaker();
    expect(second.said).toMatch(/^DATA_FOLDER_LOCKED The data folder .* is used by the running process \d+\. Stop it/);
    expect(second.said).toContain(String(first.child.pid));
    await kill(first.child);
    expect(await take()).toBe('held');
  });

  it('refuses a second holder in the same process, until it is released', async () => {
    const lock = await lockFolder(folder);
    expect(await take()).toBe('DATA_FOLDER_LOCKED');
    await lock.release();
    expect(await take()).toBe('held');
  });

  it.each([
    ['whose process has this pid but started at another time', { startTime: '1' }],
    ['of another boot of the machine', { bootId: randomUUID() }],
    ['whose process is gone', { pid: 2 ** 22 + 1 }],
  ])('takes over a lock %s', async (_name, change) => {
    await writeLock(change);
    expect(await take()).toBe('held');
    expect(await take()).toBe('DATA_FOLDER_LOCKED');
  });

  it('takes over the lock of a killed process that nobody has reaped', async () => {
    // The shell becomes `sleep`, which never looks at its child.
    const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(parent);
    const pid = Number(await once(parent.stdout, 'data'));
    await vi.waitUntil(async () => (await readFile(`/proc/${parent.pid}/comm`, 'utf8')) === 'sleep\n', {
      timeout: 60_000,
      interval: 2,
    });
    process.kill(pid, 'SIGKILL');
    const readFields = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    await vi.waitUntil(async () => (await readFields())[0] === 'Z', { timeout: 60_000, interval: 2 });
    await writeLock({ pid, startTime: (await readFields())[19] });
    expect(await take()).toBe('held');
  });

  it('takes over a lock that cannot be read', async () => {
    await writeFile(join(folder, 'lock'), '{"pid":');
    expect(await take()).toBe('held');
  });

  it('lets exactly one of many take over a dead lock', async () => {
    for (let round = 0; round < 20; round += 1) {
      await writeLock({ startTime: '1', id: randomUUID() });
      const outcomes = await Promise.all(Array.from({ length: 10 }, take));
      expect(outcomes.toSorted()).toEqual([...Array(9).fill('DATA_FOLDER_LOCKED'), 'held']);
      expect(await readdir(folder)).toEqual(['lock']);
      await rm(join(folder, 'lock'));
    }
  });

  it('takes over also where one died in the middle of taking over', async () => {
    await writeLock({ startTime: '1', id: 'first' });
    const dead = await readFile(join(folder, 'lock'), 'utf8');
    const digest = createHash('sha256').update(dead).digest('hex').slice(0, 32);
    await writeFile(join(folder, `lock.after-${digest}`), dead.replace('first', 'second'));
    const outcomes = await Promise.all(Array.from({ length: 10 }, take));
    expect(outcomes.toSorted()).toEqual([...Array(9).fill('DATA_FOLDER_LOCKED'), 'held']);
    expect(await readdir(folder)).toEqual(['lock']);
  });
});
