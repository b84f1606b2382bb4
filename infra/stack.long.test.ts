import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { whereSandboxed } from '../packages/agent-process/src/sandbox/__fixtures__/where-sandboxed.ts';
import { describeProcess, type SeenProcess } from '../packages/agent-process/src/users/__fixtures__/list-processes.ts';
import { createApi } from '../tests/harness/src/api.ts';
import { makePng } from '../tests/harness/src/make-png.ts';
import { cli, exampleAgent, mediaWorker } from '../tests/harness/src/stack/program.ts';
import { readEnvironment } from './config.ts';
import { findNativeServers } from './find-servers.ts';
import { listDescendants, waitUntilGone } from './native/processes/process-table.ts';

const program = fileURLToPath(new URL('stack.ts', import.meta.url));
const { missing } = await findNativeServers({ environment: readEnvironment() }, [
  ...(['postgres', 'nats', 'minio', 'versitygw'] as const),
]);
const works = await whereSandboxed();
const lacks = [...missing.map(({ why }) => why), ...(works ? [] : ['no sandbox works here'])];
const title = ['npm run stack', ...lacks].join(': ');
const SERVERS = 3;
const SERVICES = 3;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-stack-'));
  // If this is root, Postgres works as another account.
  await chmod(folder, 0o711);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A stack that a test which fails does not leave behind: all of it ends with its first process. */
function spawnStack(...args: string[]): ChildProcess {
  const stack = spawn(process.execPath, [program, '--folder', join(folder, 'stack'), '--cli', cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void stack.kill('SIGKILL'));
  return stack;
}

/** Returns the output of a stack until it is up, and its processes then. */
async function waitUntilUp(stack: ChildProcess): Promise<{ said: string; pids: number[] }> {
  if (!stack.stdout || !stack.stderr) throw new Error('the stack has no output');
  const errors = text(stack.stderr);
  const said: string[] = [];
  for await (const line of createInterface({ input: stack.stdout })) {
    said.push(line);
    if (line.startsWith('Logs')) return { said: said.join('\n'), pids: await listDescendants(stack.pid ?? 0) };
  }
  throw new Error(`the stack did not start: ${await errors}`);
}

type Below = { service: SeenProcess; found: SeenProcess[] };

/** A service of the stack, and what runs a program of ours below it. */
async function listBelow(stack: ChildProcess, name: string, program: string): Promise<Below> {
  const pids = await listDescendants(stack.pid ?? 0);
  const runsService = (each: number) => describeProcess(each).command.join(' ').includes(` start ${name}`);
  const pid = pids.find(runsService);
  if (pid === undefined) throw new Error(`no process of the stack runs ${name}`);
  const below = (await listDescendants(pid)).map(describeProcess);
  const runs = ({ command }: SeenProcess) => command[0] === process.execPath && command.includes(program);
  return { service: describeProcess(pid), found: below.filter(runs) };
}

/** Checks what the kernel reports of each: no right, none to be had, a filter, and another network than its service has. */
function expectSandboxed({ service, found }: Below): void {
  expect(found.length).toBeGreaterThan(0);
  for (const each of found) {
    expect(each).toMatchObject({ capabilities: '0'.repeat(16), noNewPrivileges: '1', seccomp: '2' });
    expect(each.network).toMatch(/^net:/);
    expect(each.network).not.toBe(service.network);
  }
  expect(service).toMatchObject({ network: expect.stringMatching(/^net:/), noNewPrivileges: '0' });
}

const endOf = async (stack: ChildProcess) => (await once(stack, 'exit'))[0];

describe.skipIf(lacks.length > 0)(title, () => {
  it('starts servers and services that are ready, refuses a second start, and stops all at a signal', async () => {
    const stack = spawnStack('--fresh');
    const { said, pids } = await waitUntilUp(stack);
    const ready = [...said.matchAll(/(\S+\/readyz)/g)].map(([, url]) => fetch(url ?? ''));
    expect((await Promise.all(ready)).map(({ status }) => status)).toEqual(Array.from({ length: SERVICES }, () => 200));
    const url = /^Attaché ready on (\S+)$/m.exec(said)?.[1];
    const apiKey = (await readFile(join(folder, 'stack', 'api-key'), 'utf8')).trim();
    const listed = await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(listed.status).toBe(200);
    const second = spawnStack();
    const refusal = second.stderr && text(second.stderr);
    expect(await endOf(second)).toBe(1);
    expect(await refusal).toContain(`runs in ${join(folder, 'stack')} already (process ${stack.pid})`);
    stack.kill('SIGTERM');
    expect(await endOf(stack)).toBe(0);
    await waitUntilGone(pids, 45_000);
  });

  it('says how attache operates it: that acts on this stack, and says so', async () => {
    const stack = spawnStack();
    const { said, pids } = await waitUntilUp(stack);
    const [, file = ''] = /^Operate it +\. (\S+) && npm run attache/m.exec(said) ?? [];
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const script = `. "$1" && exec "$2" "$3" "$4" "$5" --json`;
    const listing = spawn('sh', ['-c', script, 'sh', file, process.execPath, cli, 'tenant', 'list']);
    const [stdout, stderr] = await Promise.all([text(listing.stdout), text(listing.stderr)]);
    const port = /^Postgres +127\.0\.0\.1:(\d+)$/m.exec(said)?.[1];
    expect(stderr).toBe(`Stack: hosted, database 127.0.0.1:${port}/attache\n`);
    expect(JSON.parse(stdout).items).toMatchObject([{ name: 'local' }]);
    stack.kill('SIGTERM');
    expect(await endOf(stack)).toBe(0);
    await waitUntilGone(pids, 45_000);
  });

  it('keeps files in versitygw where that is asked for, and is not opened with another store afterwards; its agents and media workers are in sandboxes [BX-22]', async () => {
    const stack = spawnStack('--fresh', '--store', 'versitygw');
    const { said, pids } = await waitUntilUp(stack);
    expect(said).toMatch(/^versitygw +http:/m);
    const url = /^Attaché ready on (\S+)$/m.exec(said)?.[1] ?? '';
    const api = createApi(url, (await readFile(join(folder, 'stack', 'api-key'), 'utf8')).trim());
    const { session, agent } = await api.createSession();
    const bytes = makePng(20, 10);
    const { attachment } = await api.upload(session.id, bytes);
    await api.inspected(attachment.id);
    const { deliveries } = await api.send(session.id, { to: [agent.id], text: 'look', attachmentIds: [attachment.id] });
    expect(await api.settled(deliveries[0].id)).toMatchObject({
      status: 'responded',
      receipt: { items: [{ verdict: 'delivered' }] },
    });
    expectSandboxed(await listBelow(stack, 'runner-gateway', exampleAgent));
    expectSandboxed(await listBelow(stack, 'projector', mediaWorker));
    stack.kill('SIGTERM');
    expect(await endOf(stack)).toBe(0);
    await waitUntilGone(pids, 45_000);
    const other = spawnStack('--store', 'minio');
    const refusal = other.stderr && text(other.stderr);
    expect(await endOf(other)).toBe(1);
    expect(await refusal).toContain('keeps its files in versitygw');
    const wrong = spawnStack('--store', 'floppy');
    expect(await endOf(wrong)).toBe(1);
    // The stack of the tests that follow is MinIO’s again.
    const back = spawnStack('--fresh');
    const up = await waitUntilUp(back);
    back.kill('SIGTERM');
    await endOf(back);
    await waitUntilGone(up.pids, 45_000);
  }, 240_000);

  it('starts again on the data that it kept, and leaves nothing behind when it is killed', async () => {
    const apiKey = await readFile(join(folder, 'stack', 'api-key'), 'utf8');
    const stack = spawnStack();
    const { pids } = await waitUntilUp(stack);
    expect(pids.length).toBeGreaterThanOrEqual(SERVERS + SERVICES);
    stack.kill('SIGKILL');
    await waitUntilGone(pids, 45_000);
    expect(await readFile(join(folder, 'stack', 'api-key'), 'utf8')).toBe(apiKey);
    expect((await readdir(join(folder, 'stack', 'logs'))).sort()).toEqual([
      'ingest.log',
      'projector.log',
      'runner-gateway.log',
    ]);
  });
});
