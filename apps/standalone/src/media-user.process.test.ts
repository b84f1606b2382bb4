import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentUser, sandboxWorkers, type WorkersNotice } from '@attache/agent-process';
import { describeProcess, listProcesses } from '@attache/agent-process/list-processes';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { createMediaPool, defaultMediaPoolOptions, type MediaPool } from '@attache/media';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../packages/media/src/worker/__fixtures__/${name}`, import.meta.url));
const canChangeUsers = process.getuid?.() === 0 && (await whereSandboxed());
const pageImage = {
  purpose: 'page-image',
  page: 1,
  mimeType: 'image/png',
  maxEdgePixels: 99,
  maxBytes: 99_999,
} as const;

let data: string;
let user: AgentUser;
let notices: [WorkersNotice, string][];
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'attache-media-user-'));
  const uid = 1_900_000_000 + randomInt(10_000_000);
  user = { uid, gid: uid - 9 };
  notices = [];
});
afterEach(() => rm(data, { recursive: true }));

async function openPool(workerPath = defaultMediaPoolOptions.workerPath): Promise<MediaPool> {
  const place = {
    ...{ workerPath, exchangeFolder: join(data, 'media'), privateFolders: [data], user },
    searchPath: process.env.PATH ?? '',
  };
  const sandbox = await sandboxWorkers(place, (...notice) => notices.push(notice));
  return createMediaPool({ workers: 1, workerPath, sandbox });
}

async function writeWork(name: string, content: Uint8Array | string) {
  const path = join(data, name);
  await writeFile(path, content, { mode: 0o600 });
  return { path, sizeBytes: content.length };
}

/** Runs a script as such a user, outside of every sandbox, and returns its output. */
function reachAs({ uid, gid }: AgentUser, script: string): string {
  return spawnSync('/bin/sh', ['-c', script], { uid, gid, cwd: '/', encoding: 'utf8' }).stdout.trim();
}

describe.runIf(canChangeUsers)('a media worker with a user of its own', () => {
  it('runs as that user from before its sandbox begins, without rights [BX-22 S16]', async () => {
    await using pool = await openPool();
    const pdf = await writeWork('a.pdf', buildPdf([['One']]));
    expect(await pool.inspect(pdf)).toMatchObject({ status: 'ready', facts: { pages: 1 } });
    const pids = listProcesses(user.uid);
    const seen = pids.map((pid) => describeProcess(pid));
    const worker = seen.find(({ command }) => command[0] === process.execPath);
    expect(seen.map(({ users }) => users)).toEqual(pids.map(() => Array(4).fill(user.uid)));
    expect(seen.map(({ groups }) => groups)).toEqual(pids.map(() => [...Array(4).fill(user.gid)]));
    expect(worker?.network).not.toBe(describeProcess(process.pid).network);
    expect(worker).toMatchObject({ capabilities: '0'.repeat(16), noNewPrivileges: '1', seccomp: '2' });
    expect(pids.length).toBeGreaterThan(2);
    expect(notices).toEqual([]);
  });

  it('reaches nothing but its file from inside, which it cannot change [S16 S19]', async () => {
    await using pool = await openPool(fixture('hostile.ts'));
    const secret = await writeWork('secret', 'of a tenant');
    const targets = JSON.stringify({ secret: secret.path, folder: data, port: 1, parentPid: process.pid });
    const file = await writeWork('file', targets);
    expect(await pool.inspect(file)).toMatchObject({ status: 'ready', facts: { pages: 1 } });
    expect(await readFile(file.path, 'utf8')).toBe(targets);
    expect(await stat(file.path)).toMatchObject({ uid: 0, nlink: 1 });
  });

  it('would reach nothing of the platform outside of its sandbox either: no blob, no folder, no process [BX-22 S19]', async () => {
    await using pool = await openPool(fixture('hostile.ts'));
    const secret = await writeWork('secret', 'of a tenant');
    const agent = join(data, 'agents', 'agt');
    await mkdir(agent, { recursive: true });
    await chmod(agent, 0o700);
    await writeFile(join(agent, 'mine'), 'of an agent');
    const targets = JSON.stringify({ secret: secret.path, folder: data, port: 1, parentPid: process.pid });
    await pool.inspect(await writeWork('file', targets));
    const tries = {
      blob: `cat ${secret.path}`,
      data: `ls ${data}`,
      written: `echo x > ${join(data, 'x')} && echo written`,
      agents: `cat ${join(agent, 'mine')}`,
      exchange: `ls ${join(data, 'media')}`,
      environment: `cat /proc/${process.pid}/environ`,
      signal: `kill -0 ${process.pid} && echo signalled`,
      shadow: 'cat /etc/shadow',
    };
    const reached = Object.entries(tries).map(([name, script]) => [name, reachAs(user, `{ ${script}; } 2>/dev/null`)]);
    expect(reached).toEqual(Object.keys(tries).map((name) => [name, '']));
    // The same tries find all of it if the user is the service's own.
    const own = { uid: 0, gid: 0 };
    expect(Object.values(tries).filter((script) => reachAs(own, `{ ${script}; } 2>/dev/null`) === '')).toEqual([]);
  });

  it('inspects files and makes variants as before, of one file in turn with another, and leaves nothing behind [SR-14]', async () => {
    const pool = await openPool();
    for (let count = 0; count < 3; count += 1) {
      const pdf = await writeWork(`${count}.pdf`, buildPdf([['One'], ['Two']]));
      expect(await pool.inspect(pdf)).toMatchObject({ status: 'ready', facts: { pages: 2 } });
      const outputPath = join(data, `page-${count}`);
      const job = { path: pdf.path, outputPath, mimeType: 'application/pdf', facts: {}, recipe: pageImage };
      const made = await pool.makeVariant(job);
      expect(made).toMatchObject({ status: 'made', page: 1, height: 99 });
      const { uid, mode, size } = await stat(outputPath);
      expect({ uid, mode: mode & 0o777, size }).toEqual({
        ...{ uid: 0, mode: 0o600, size: made.status === 'made' ? made.sizeBytes : -1 },
      });
    }
    await pool[Symbol.asyncDispose]();
    expect(await readdir(join(data, 'media'))).toEqual([]);
    await expect.poll(() => listProcesses(user.uid)).toEqual([]);
  });

  it('that makes a link or more than it was asked for is ended, and nothing of it is taken [S16 S19]', async () => {
    await using pool = await openPool(fixture('false-output.ts'));
    const secret = await writeWork('secret', 'of a tenant');
    for (const falsehood of ['link', 'huge', 'folder']) {
      const outputPath = join(data, `made-${falsehood}`);
      const { path } = await writeWork(falsehood, JSON.stringify({ falsehood, secret: secret.path }));
      const job = { path, outputPath, mimeType: 'application/pdf', facts: {}, recipe: pageImage };
      await expect(pool.makeVariant(job), falsehood).rejects.toThrow();
      await expect(stat(outputPath), falsehood).rejects.toThrow(/ENOENT/);
    }
    expect(await readFile(secret.path, 'utf8')).toBe('of a tenant');
  });

  it('keeps the user of its service where its own cannot enter the folders, and the log names the folder [BX-22]', async () => {
    const outer = data;
    data = join(outer, 'inner');
    await mkdir(data);
    await using pool = await openPool();
    const pdf = await writeWork('a.pdf', buildPdf([['One']]));
    expect(await pool.inspect(pdf)).toMatchObject({ status: 'ready' });
    expect(notices).toEqual([['media.without_user', expect.stringMatching(new RegExp(`^${outer} cannot be entered`))]]);
    expect(listProcesses(user.uid)).toEqual([]);
    data = outer;
  });
});
