import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { AGENT_TOKEN_VARIABLE, type Failure } from '@attache/contracts';
import { agentFailure } from './agent-failure.ts';
import { agentFolders } from './agent-folders.ts';
import { childEnvironment, type InheritedEnvironment } from './child-environment.ts';
import type { AgentExit, AgentSpec } from './driver.ts';
import { resolveProgram } from './resolve-program.ts';
import type { ProgramSettings } from './settings/program-settings.ts';
import { cleanDiagnostic, createStderrTail, type StderrTail } from './stderr-tail.ts';
import { sweepEnvironment } from './sweep-orphans.ts';

// The watchdog waits on a pipe that only its gateway holds: when the gateway is gone, however it went, the whole group is killed.
// It inherits what it ignores, and the line on the pipe says that the child itself ignores nothing more: from then on a signal may come.
const WRAPPER =
  'trap "" HUP INT TERM; (read -r _ <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 & trap - HUP INT TERM; echo >&3; exec 3<&-; ulimit -t "$1"; shift; exec "$@"';

// A grandchild that left the group may hold the pipes open: an exit counts after this time even so.
const EXIT_DRAIN_MS = 250;

export type SpawnContext = { inherited: InheritedEnvironment; redact: (text: string) => string };

/** A child in a process group of its own that does not outlive its gateway. */
export type SpawnedAgent = {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly exited: Promise<AgentExit>;
  /** End of standard error so far, redacted. */
  diagnostic(): string;
  /** Signals the child's group. False, and nothing done, once the child has ended. */
  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): boolean;
};

export type SpawnOutcome = { status: 'started'; child: SpawnedAgent } | { status: 'failed'; failure: Failure };

/** Starts the program of `spec` in the agent's working folder, which is there. What cannot be started is an outcome, not a throw. */
export async function spawnAgent(
  spec: AgentSpec,
  settings: ProgramSettings,
  context: SpawnContext,
): Promise<SpawnOutcome> {
  const env = childEnvironment(spec, settings, context.inherited);
  const [name = '', ...fixedArgs] = spec.command;
  const program = await resolveProgram(name, env.PATH ?? '');
  if (program === undefined) return startFailed(spec, `${name}: no such executable file on PATH`, context);
  try {
    const argv = [program, ...fixedArgs, ...settings.args, ...spec.args];
    return { status: 'started', child: await startChild(argv, spec, env, context) };
  } catch (error) {
    return startFailed(spec, error instanceof Error ? error.message : String(error), context);
  }
}

function startFailed(spec: AgentSpec, diagnostic: string, { redact }: SpawnContext): SpawnOutcome {
  const failure = agentFailure({
    code: 'delivery_agent_start_failed',
    agentId: spec.agentId,
    diagnostic: cleanDiagnostic(diagnostic, redact),
  });
  return { status: 'failed', failure };
}

async function startChild(
  argv: readonly string[],
  { folder, limits, token }: AgentSpec,
  env: Record<string, string>,
  { redact }: SpawnContext,
): Promise<SpawnedAgent> {
  const processorTime = String(limits?.cpuSeconds ?? 'unlimited');
  const child = spawn('/bin/sh', ['-c', WRAPPER, 'w', processorTime, ...argv], {
    cwd: agentFolders(folder).work,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const tail = createStderrTail(redact);
  child.stderr?.on('data', (chunk: Buffer) => tail.append(chunk));
  const exited = watchExit(child, tail).then(async (exit) => {
    // Some programs start helpers in groups of their own, which outlive them.
    if (token !== '') await sweepEnvironment(`${AGENT_TOKEN_VARIABLE}=${token}`);
    return exit;
  });
  await new Promise((resolve, reject) => {
    child.stdio[3]?.once('data', resolve);
    child.once('exit', resolve).once('error', reject);
  });
  const { pid, stdin, stdout } = child;
  if (pid === undefined || !stdin || !stdout) throw new Error('the child has no process id or pipes');
  return { pid, stdin, stdout, exited, diagnostic: tail.text, signalGroup: groupSignaller(child, pid) };
}

function watchExit(child: ChildProcess, tail: StderrTail): Promise<AgentExit> {
  const watchdog = child.stdio[3] as Duplex | null | undefined;
  // A broken pipe shows as the end of the child; the error itself says nothing more.
  for (const pipe of [...child.stdio.slice(0, 3), watchdog]) pipe?.on('error', () => undefined);
  child.on('error', () => undefined);
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => {
      watchdog?.destroy();
      const finish = () => resolve({ exitCode, signal, diagnostic: tail.text() });
      const timer = setTimeout(finish, EXIT_DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        finish();
      });
    });
  });
}

function groupSignaller(child: ChildProcess, pid: number): SpawnedAgent['signalGroup'] {
  return (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    try {
      return process.kill(-pid, signal);
    } catch {
      // The group has just ended, or is no longer this user's to signal.
      return false;
    }
  };
}
