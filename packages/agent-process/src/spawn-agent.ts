import type { Failure } from '@attache/contracts';
import { type AgentFailureCode, agentFailure } from './agent-failure.ts';
import { agentFolders } from './agent-folders.ts';
import { childEnvironment, type InheritedEnvironment } from './child-environment.ts';
import type { AgentSpec } from './driver.ts';
import { resolveProgram } from './resolve-program.ts';
import { prepareSandbox } from './sandbox/prepare-sandbox.ts';
import { specInside } from './sandbox/spec-inside.ts';
import type { ProgramSettings } from './settings/program-settings.ts';
import { type ChildStart, type SpawnedAgent, startChild } from './start-child.ts';
import { cleanDiagnostic } from './stderr-tail.ts';

export type { SpawnedAgent } from './start-child.ts';

export type SpawnContext = { inherited: InheritedEnvironment; redact: (text: string) => string };

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
  if (program === undefined) return startFailed(spec, `${name}: no such executable file on PATH`, context);
  try {
    const start = await describeStart({ spec, settings, program, env }, context);
    if ('diagnostic' in start) return startFailed(spec, start.diagnostic, context, start.code);
    return { status: 'started', child: await startChild(start, context.redact) };
  } catch (error) {
    return startFailed(spec, error instanceof Error ? error.message : String(error), context);
  }
}

function startFailed(
  spec: AgentSpec,
  diagnostic: string,
  { redact }: SpawnContext,
  code: AgentFailureCode = 'delivery_agent_start_failed',
): SpawnOutcome {
  const failure = agentFailure({ code, agentId: spec.agentId, diagnostic: cleanDiagnostic(diagnostic, redact) });
  return { status: 'failed', failure };
}

type Starting = { spec: AgentSpec; settings: ProgramSettings; program: string; env: Record<string, string> };
type NoStart = { code: AgentFailureCode; diagnostic: string };

async function describeStart(starting: Starting, context: SpawnContext): Promise<ChildStart | NoStart> {
  const { spec, settings, program, env } = starting;
  const [, ...fixedArgs] = spec.command;
  const args = [...settings.args, ...spec.args];
  const start = { env, cpuSeconds: spec.limits?.cpuSeconds, token: spec.token };
  const { sandbox } = spec;
  if (sandbox === undefined)
    return { ...start, argv: [program, ...fixedArgs, ...args], cwd: agentFolders(spec.folder).work };
  const prepared = await prepareSandbox({
    ...{ spec: { ...spec, sandbox }, program, fixedArgs, settingsArgs: settings.args, args },
    ...{ searchPath: env.PATH ?? '', hostSearchPath: context.inherited.PATH },
  });
  if (prepared.status === 'ready') return { ...start, argv: prepared.argv, filter: prepared.filter, cwd: '/' };
  const code = prepared.status === 'refused' ? 'delivery_agent_start_failed' : 'delivery_sandbox_unavailable';
  return { code, diagnostic: prepared.diagnostic };
}
