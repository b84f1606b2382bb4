import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startBoxed } from '../__fixtures__/boxed-start.ts';
import { writeForeignProgram } from '../__fixtures__/foreign-program.ts';
import { whereAttacked } from '../__fixtures__/where-sandboxed.ts';
import { deniedCalls } from './denied-calls.ts';

const script = fileURLToPath(new URL('../__fixtures__/try-calls.py', import.meta.url));
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const families = Array.from({ length: 46 }, (_, family) => family);
const allowed = [1, 2, 10, 16];
const numbers = Object.entries(deniedCalls).map(([name, each]) => [name, each[architecture]] as const);
const denied: Readonly<Record<string, number>> = Object.fromEntries(numbers.filter(([, number]) => number >= 0));

// Without arguments they change nothing, and a kernel answers any user otherwise than by EPERM.
const openToAll = ['add_key', 'clock_adjtime', 'io_uring_setup', 'kcmp', 'keyctl', 'open_tree', 'request_key'];
const openToRoot = ['bpf', 'mount', 'perf_event_open', 'setns', 'userfaultfd'];
const isRoot = process.getuid?.() === 0;
const isFiltered = !/^Seccomp:\s*0$/m.test(readFileSync('/proc/self/status', 'utf8'));

// Families of the kernel's modules, which it has once they are loaded.
const namedFamilies = { ALG: 38, AF_VSOCK: 40 } as const;
const protocols = readFileSync('/proc/net/protocols', 'utf8');

/** Each call's answer, and for each family the distinct answers to sockets of all types. */
type Answers = { calls: Record<string, string>; sockets: string[][]; pairs: string[][] };

const question = (calls: Readonly<Record<string, number>>) => JSON.stringify({ calls, families });

function givenFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'attache-calls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function start(command: readonly string[]) {
  const outcome = await startBoxed(command, { folder: path.join(givenFolder(), 'agent') });
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  return outcome.child;
}

async function askInside(): Promise<Answers> {
  const child = await start(['python3', script]);
  child.stdin.end(question(denied));
  return JSON.parse(await text(child.stdout));
}

function askOutside(names: readonly string[]): Answers {
  const calls = Object.fromEntries(names.map((name) => [name, denied[name] ?? -1]));
  return JSON.parse(spawnSync('python3', [script], { input: question(calls), encoding: 'utf8' }).stdout);
}

describe.runIf(await whereAttacked())('the kernel, asked from inside a sandbox', () => {
  it('refuses each call of the table [BX-22]', async () => {
    const { calls } = await askInside();
    expect(calls).toEqual(Object.fromEntries(Object.keys(denied).map((name) => [name, 'EPERM'])));
  });

  it('makes sockets of four families and no others [BX-22]', async () => {
    const { sockets, pairs } = await askInside();
    expect(families.filter((family) => sockets[family]?.includes('open'))).toEqual(allowed);
    const others = families.filter((family) => !allowed.includes(family));
    for (const answers of [sockets, pairs])
      expect(others.map((family) => answers[family])).toEqual(others.map(() => ['EAFNOSUPPORT']));
  });

  it.runIf(!isFiltered)('answers otherwise outside, so that the attempts are real', () => {
    const names = isRoot ? [...openToAll, ...openToRoot] : openToAll;
    const { calls, sockets } = askOutside(names);
    expect(names.filter((name) => calls[name] === 'EPERM')).toEqual([]);
    const offered = Object.entries(namedFamilies).filter(([name]) => new RegExp(`^${name} `, 'm').test(protocols));
    for (const [, family] of offered) expect(sockets[family]).toContain('open');
  });

  it.runIf(runsForeign())('kills a program of the 32-bit architecture at its first call [BX-22]', async () => {
    const child = await start([writeForeignProgram(givenFolder(), 7)]);
    expect(await child.exited).toMatchObject({ exitCode: null, signal: 'SIGSYS' });
  });
});

/** Whether this kernel runs such a program where no filter is in its way. */
function runsForeign(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'attache-foreign-'));
  try {
    return spawnSync(writeForeignProgram(folder, 7)).status === 7;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
