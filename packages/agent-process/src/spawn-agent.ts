import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Failure } from '@attache/contracts';
import { type AgentFailureCode, agentFailure } from './agent-failure.ts';
import { agentFolders } from './agent-folders.ts';
import { childEnvironment, type InheritedEnvironment } from './child-environment.ts';
import { CHILD_MARKER_VARIABLE } from './child-marker.ts';
import type { AgentExit, AgentSpec } from './driver.ts';
import { openCgroup } from './limits/cgroup/open-cgroup.ts';
import { describeMissing, resolveProgram } from './resolve-program.ts';
import { findSandboxFault } from './sandbox/kept-trials.ts';
import { prepareSandbox } from './sandbox/prepare-sandbox.ts';
import { specInside } from './sandbox/spec-inside.ts';
import { prepareWrapper } from './sandbox/wrapper/prepare-wrapper.ts';
import type { ProgramSettings } from './settings/program-settings.ts';
import { type ChildStart, type SpawnedAgent, startChild } from './start-child.ts';
import { cleanDiagnostic } from './stderr-tail.ts';
import type { AgentUsers, LentUser } from './users/agent-users.ts';

export type { SpawnedAgent } from './start-child.ts';

export type SpawnContext = {
  inherited: InheritedEnvironment;
  redact: (text: string) => string;
  /** Sandboxed agents get a user each; without it they run as the gateway's own. */
  users?: AgentUsers | undefined;
};

export type SpawnOutcome = { status: 'started'; child: SpawnedAgent } | { status: 'failed'; failure: Failure };

/**
 * Starts the program of `spec` in the agent's working folder, which is there. What cannot be started is an outcome, not a throw. `settings`
 * are those of `specInside`.
 */
export async function spawnAgent(
  spec: AgentSpec,
  settings: ProgramSettings,
  context: SpawnContext,
): Promise<SpawnOutcome> {
  const env = childEnvironment(specInside(spec), settings, context.inherited);
  const [name = ''] = spec.command;
  const program = await resolveProgram(name, env.PATH ?? '');
  if (program === undefined) return programMissing(spec, name, env.PATH ?? '', context);
  // A wrapper may need what the gateway may.
  const users = spec.sandbox && spec.sandbox.command === undefined ? context.users : undefined;
  const user = await users?.lend((await stat(spec.folder)).uid);
  if (users !== undefined && user === undefined) return startFailed(spec, describeAllLent(users), context);
  const outcome = await startAs({ spec, settings, program, env, user }, context);
  if (outcome.status === 'failed') {
    await user?.giveBack();
    return outcome;
  }
  const { child } = outcome;
  const isBoxed = spec.sandbox !== undefined && spec.sandbox.command === undefined;
  const exited = isBoxed ? child.exited.then((exit) => explainEnd(exit, user, context)) : child.exited;
  void exited.then(() => user?.giveBack());
  const startBeside: SpawnedAgent['startBeside'] = (command, args) =>
    spawnBeside({ spec: { ...spec, command, args }, settings, env, user }, context);
  return { status: 'started', child: { ...child, exited, startBeside } };
}

/** Starts a program next to an agent. It reaches nothing but the agent's folder. */
async function spawnBeside(
  { spec, settings, env, user }: Omit<Starting, 'program'>,
  context: SpawnContext,
): Promise<SpawnedAgent | undefined> {
  const [program = ''] = spec.command;
  const alone = { socketPath: '', relaySocketPath: undefined, egressSocketPath: undefined, token: '' };
  const beside: AgentSpec = { ...spec, ...alone, mcpCommand: undefined };
  const bare = Object.fromEntries(Object.entries(env).filter(([name]) => plainVariables.includes(name)));
  const starting = { spec: beside, settings: { ...settings, args: [] }, program, env: bare, user };
  const outcome = await startAs(starting, context);
  return outcome.status === 'started' ? outcome.child : undefined;
}

const plainVariables = ['PATH', 'HOME', 'TMPDIR', CHILD_MARKER_VARIABLE];

/** The trial needs the user, which is given back afterwards. */
async function explainEnd(
  exit: AgentExit,
  user: LentUser | undefined,
  { inherited }: SpawnContext,
): Promise<AgentExit> {
  const sandboxFault = await findSandboxFault(exit, inherited.PATH, user && idsOf(user));
  return sandboxFault === undefined ? exit : { ...exit, sandboxFault };
}

const describeAllLent = ({ range: { first, last } }: AgentUsers): string =>
  `all ${last - first + 1} users of ATTACHE_AGENT_UIDS have an agent: give it more numbers, or let idle agents stop sooner`;

async function startAs(starting: Starting, context: SpawnContext): Promise<SpawnOutcome> {
  const { spec } = starting;
  try {
    const start = await describeStart(starting, context);
    if ('diagnostic' in start) return startFailed(spec, start.diagnostic, context, start.code);
    const cgroup = await openCgroup(randomUUID(), spec.limits);
    const started = startChild({ ...start, cgroup }, context.redact);
    started.catch(() => cgroup?.remove());
    return { status: 'started', child: await started };
  } catch (error) {
    return startFailed(spec, error instanceof Error ? error.message : String(error), context);
  }
}

async function programMissing(
  spec: AgentSpec,
  name: string,
  searchPath: string,
  context: SpawnContext,
): Promise<SpawnOutcome> {
  const userMessage = await describeMissing(name, searchPath);
  const outcome = startFailed(spec, `${name}: no such executable file`, context);
  return { ...outcome, failure: { ...outcome.failure, userMessage } };
}

function startFailed(
  spec: AgentSpec,
  diagnostic: string,
  { redact }: SpawnContext,
  code: AgentFailureCode = 'delivery_agent_start_failed',
): Extract<SpawnOutcome, { status: 'failed' }> {
  const failure = agentFailure({ code, agentId: spec.agentId, diagnostic: cleanDiagnostic(diagnostic, redact) });
  return { status: 'failed', failure };
}

type Starting = {
  spec: AgentSpec;
  settings: ProgramSettings;
  program: string;
  env: Record<string, string>;
  user: LentUser | undefined;
};
const idsOf = ({ uid, gid }: LentUser) => ({ uid, gid });

type NoStart = { code: AgentFailureCode; diagnostic: string };

async function describeStart(starting: Starting, context: SpawnContext): Promise<ChildStart | NoStart> {
  const { spec, settings, program, env, user } = starting;
  const [, ...fixedArgs] = spec.command;
  const args = [...settings.args, ...spec.args];
  const start = { env, cpuSeconds: spec.limits?.cpuSeconds, token: spec.token };
  const { sandbox } = spec;
  if (sandbox === undefined)
    return { ...start, argv: [program, ...fixedArgs, ...args], cwd: agentFolders(spec.folder).work };
  const request = {
    ...{
      spec: { ...spec, sandbox },
      program,
      fixedArgs,
      settingsArgs: settings.args,
      args,
      user,
      environment: Object.keys(env),
    },
    ...{ searchPath: env.PATH ?? '', hostSearchPath: context.inherited.PATH },
  };
  const prepared =
    sandbox.command === undefined ? await prepareSandbox(request) : await prepareWrapper(request, sandbox.command);
  switch (prepared.status) {
    case 'ready':
      return { ...start, argv: prepared.argv, filter: prepared.filter, cwd: '/', ...(user && { user: idsOf(user) }) };
    case 'wrapped':
      return { ...start, ...prepared, cwd: agentFolders(spec.folder).work };
    case 'refused':
      return { code: 'delivery_agent_start_failed', diagnostic: prepared.diagnostic };
    case 'unavailable':
      return { code: 'delivery_sandbox_unavailable', diagnostic: prepared.diagnostic };
    default:
      return prepared satisfies never;
  }
}
