import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { client, shell, startBox } from './__fixtures__/start-box.ts';
import { whereNamespaced } from './__fixtures__/where-sandboxed.ts';
import { findBox } from './find-box.ts';

const isNamespaced = await whereNamespaced();
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const ORPHANS = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 3_000 : 20_000;

describe.runIf(isNamespaced)('the end of a program in its box [BX-22]', () => {
  it.each([
    ['exit 0', 0, { exitCode: 0, signal: null }],
    ['exit 7', 7, { exitCode: 7, signal: null }],
    ['exit 143', 143, { exitCode: 143, signal: null }],
    ['kill -TERM $$', 143, { exitCode: null, signal: 'SIGTERM' }],
    ['kill -KILL $$', 137, { exitCode: null, signal: 'SIGKILL' }],
    ['kill -40 $$', 168, { exitCode: null, signal: 'SIG40' }],
  ])('by `%s` is told by code and signal', async (script, exitCode, status) => {
    expect(await startBox({ program: shell(script) }).ended).toMatchObject({ exitCode, status });
  });

  it.each([
    ['/no/such/program', 127, { error: 'exec', errno: 'ENOENT' }],
    ['/etc/passwd', 126, { error: 'exec', errno: 'EACCES' }],
  ])('is told from %s, which cannot be run', async (program, exitCode, status) => {
    expect(await startBox({ program: [program] }).ended).toMatchObject({ exitCode, status, output: '' });
  });

  it('ends what the program left behind, in whatever session it is', async () => {
    const box = startBox({ program: shell('setsid sleep 600 & sleep 600 & exit 5') });
    // The output ends only when none of them holds it.
    expect(await box.ended).toMatchObject({ exitCode: 5, status: { exitCode: 5, signal: null } });
  });
});

describe.runIf(isNamespaced)('a signal to the box [BX-22]', () => {
  it.each(['TERM', 'INT', 'HUP'] as const)('reaches what the program does on SIG%s', async (name) => {
    const box = startBox({
      program: shell(`trap 'echo caught; exit 9' ${name}; echo ready; while :; do sleep 0.05; done`),
    });
    await box.said('ready');
    box.signal(`SIG${name}`);
    expect(await box.ended).toMatchObject({ status: { exitCode: 9, signal: null }, output: 'ready\ncaught\n' });
  });

  it('ends all of them by force after the grace', async () => {
    const box = startBox({ program: shell("trap '' TERM; setsid sleep 600 & echo ready; sleep 600"), graceMs: 300 });
    await box.said('ready');
    box.signal('SIGTERM');
    expect(await box.ended).toMatchObject({ exitCode: 137, status: { exitCode: null, signal: 'SIGKILL' } });
  });

  it('from inside is not heeded', async () => {
    const box = startBox({
      program: shell('kill -TERM 1; kill -INT 1; kill -KILL 1; kill -STOP 1; sleep 0.3; exit 3'),
      graceMs: 0,
    });
    expect(await box.ended).toMatchObject({ status: { exitCode: 3, signal: null } });
  });
});

describe.runIf(isNamespaced)('the box as the first process [BX-22]', () => {
  it('reaps thousands of orphans while signals still come through', async () => {
    const fork = `i=0; while [ $i -lt ${ORPHANS} ]; do ( : & ); i=$((i+1)); done; echo $i orphans`;
    const count = 'zombies=$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z ")';
    const settle = `n=0; while ${count}; [ $zombies != 0 ] && [ $n -lt 100 ]; do n=$((n+1)); sleep 0.1; done`;
    const box = startBox({
      program: shell(`trap 'echo caught' TERM; echo ready; ${fork}; ${settle}; echo $zombies zombies`),
      // It continues after the signal, for as long as a slow machine needs.
      graceMs: 600_000,
    });
    await box.said('ready');
    box.signal('SIGTERM');
    expect((await box.ended).output).toBe(`ready\ncaught\n${ORPHANS} orphans\n0 zombies\n`);
  });

  it('cannot be reached by the program, nor can the forwarder [S19]', async () => {
    const wrapper = ['setpriv', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all,+net_admin'];
    const { output } = await startBox({
      program: client('reach-box', 4101, '/none'),
      options: ['--forward', '4101=/none'],
      wrapper,
    }).ended;
    const refused = { mem: 'EACCES', environ: 'EACCES', fd: 'EACCES', exe: 'EACCES', cwd: 'EACCES' };
    const reached = { mem: 'open', environ: 'open', fd: 'open', exe: 'open', cwd: 'open' };
    expect(JSON.parse(output)).toEqual({ self: reached, boxes: [refused, refused] });
  });

  it('refuses to be anything else', () => {
    const options = ['--status-fd', '3', '--grace-ms', '0', '--', '/bin/true'];
    const end = spawnSync(findBox() ?? '', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    expect(end.status).toBe(125);
    expect(String(end.output[3])).toBe('{"error":"not-pid-1","errno":"EPERM"}\n');
  });

  it.each([
    [['--status-fd', '5']],
    [['--grace-ms', '1']],
    [['--status-fd', '2', '--grace-ms', '1']],
    [['--status-fd', '5', '--grace-ms', '-1']],
    [['--status-fd', '5', '--grace-ms', '1', '--unknown', '1']],
    [['--status-fd', '5', '--grace-ms', '1', '--limit-files', '1e3']],
    [['--status-fd', '5', '--grace-ms', '1', '--forward', '70000=/a']],
    [['--status-fd', '5', '--grace-ms', '1', '--forward', '4101=relative']],
    [['--status-fd', '5', '--grace-ms', '1', '--forward', `4101=/${'a'.repeat(108)}`]],
    [['--status-fd', '5', '--grace-ms']],
  ])('does not take %j', (options) => {
    const end = spawnSync(findBox() ?? '', [...options, '--', '/bin/true'], { encoding: 'utf8' });
    expect(end).toMatchObject({ status: 125, stderr: expect.stringMatching(/^attache-box: --\S+ .+\n$/) });
  });
});

describe.runIf(isNamespaced)('what the program gets from the box [BX-22]', () => {
  it('is standard input, output and error alone', async () => {
    const { output } = await startBox({ program: shell('echo /proc/self/fd/*') }).ended;
    const open = output
      .trim()
      .split(' ')
      .map((path) => path.replace('/proc/self/fd/', ''));
    // The shell reads the folder by a descriptor of its own, the lowest that is free.
    expect(open).toEqual(['0', '1', '2', '3']);
  });

  it.runIf(isRoot)('leaves the box the status, and the forwarder nothing but its port', async () => {
    const box = startBox({ program: shell('echo ready; sleep 600'), options: ['--forward', '4101=/none'] });
    await box.said('ready');
    const [init, forwarder] = box
      .processIds()
      .map((id) => readdirSync(`/proc/${id}/fd`).map((fd) => readlinkSync(`/proc/${id}/fd/${fd}`).replace(/\d+/, 'N')));
    // The status is a socket too.
    expect(init).toEqual(['socket:[N]', 'socket:[N]']);
    expect(forwarder?.sort()).toEqual(['anon_inode:[eventpoll]', 'socket:[N]']);
  });

  it('is a session of its own with default signals', async () => {
    const wrapper = ['sh', '-c', `trap '' HUP INT PIPE USR1; exec "$@"`, 'sh'];
    const script =
      'grep -E "^Sig(Blk|Ign):" /proc/self/status; read -r pid _ _ _ group session _ < /proc/self/stat; echo $((pid - group)) $((pid - session))';
    const { output } = await startBox({ program: shell(script), wrapper }).ended;
    expect(output).toBe(`SigBlk:\t${'0'.repeat(16)}\nSigIgn:\t${'0'.repeat(16)}\n0 0\n`);
  });

  it('is limited, and the box is not', async () => {
    const options = ['--limit-processes', '50', '--limit-files', '99', '--limit-cpu-seconds', '7'];
    const script = 'for id in self 1; do grep -E "^Max (cpu|proc|open)" /proc/$id/limits; done';
    const { output } = await startBox({ program: shell(script), options: [...options, '--forward', '4101=/none'] })
      .ended;
    const [cpu, processes, files, ...ofBox] = output.split('\n').map((line) => line.slice(26).split(/ +/).slice(0, 2));
    // Two processes of the box are counted with the program's.
    expect([cpu, processes, files]).toEqual([
      ['7', '8'],
      ['52', '52'],
      ['99', '99'],
    ]);
    expect(ofBox).not.toContainEqual(['7', '8']);
    expect(ofBox).not.toContainEqual(['52', '52']);
    expect(ofBox).not.toContainEqual(['99', '99']);
  });

  it('ends at its processor time', async () => {
    const box = startBox({ program: shell('while :; do :; done'), options: ['--limit-cpu-seconds', '1'] });
    expect((await box.ended).status).toEqual({ exitCode: null, signal: 'SIGXCPU' });
  });

  // The limit binds no root of the machine.
  it('is as many processes as it may have', async () => {
    const script = 'i=1; while sleep 600 & do i=$((i+1)); echo $i; done';
    const options = ['--limit-processes', '10'];
    const other = isRoot ? { box: copyForOthers(), uid: NOBODY } : {};
    const { output, errors } = await startBox({ program: shell(script), options, ...other }).ended;
    // One is unshare, in the same user namespace as the box.
    expect(output.trim().split('\n').at(-1)).toBe('9');
    expect(errors).toMatch(/fork/);
  });
});

/** A copy of the box that another user may run, wherever the repository is. */
function copyForOthers(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attache-box-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const box = join(folder, 'attache-box');
  copyFileSync(findBox() ?? '', box);
  for (const path of [folder, box]) chmodSync(path, 0o755);
  return box;
}
