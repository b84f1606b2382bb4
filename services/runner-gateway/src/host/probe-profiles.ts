import { randomUUID } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { childMarker, type DriverHooks, resolveProgram } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { hasProbe, saveProbe } from '@attache/database';
import { chooseSandbox } from '@attache/programs/choose-sandbox';
import { digestSettings } from '@attache/programs/digest-settings';
import { isUndeniable } from '@attache/programs/find-denial';
import type { OwningDeps } from '../gateway-deps.ts';
import { createTurnSlot } from '../output/turn-slot.ts';
import { openRelay } from '../relay/open-relay.ts';
import { describeCommand } from './describe-command.ts';
import { describeProfile } from './describe-profile.ts';
import { openAllowed } from './open-ways.ts';

const PROBE_MS = 30_000;
const ASKED_AT_ONCE = 4;

type ProbeDeps = Pick<
  OwningDeps,
  | 'connections'
  | 'db'
  | 'drivers'
  | 'leftFolders'
  | 'log'
  | 'ownership'
  | 'profiles'
  | 'relay'
  | 'secretKeys'
  | 'settings'
  | 'use'
>;

// A probe asks nothing of the agent, so whatever it says or wants is of no use.
const deaf: DriverHooks = {
  onOutput: async () => {},
  onDelta: () => {},
  onToolCall: async () => ({ decision: 'deny', reason: 'this is a probe' }),
  onToolResult: async ({ content }) => content,
};

/** Distinguishes versions of a program without running it: by every file that its command names, and by how its profile starts it. */
async function describeVersion(
  command: readonly string[],
  profile: Profile,
  searchPath: string,
): Promise<string | undefined> {
  const program = await resolveProgram(command[0] ?? '', searchPath);
  if (program === undefined) return undefined;
  const facts = await Promise.all(
    [program, ...command.slice(1)].map(async (word) => {
      const file = await realpath(word).catch(() => undefined);
      const found = file === undefined ? undefined : await stat(file);
      return found?.isFile() ? `${file}:${found.size}:${Math.floor(found.mtimeMs)}` : word;
    }),
  );
  return [...facts, digestSettings(profile)].join(' ');
}

async function probeProfile(deps: ProbeDeps, name: string, profile: Profile): Promise<void> {
  const driver = deps.drivers[profile.runtime];
  const command = describeCommand(deps.settings, profile);
  const programVersion = await describeVersion(command, profile, deps.settings.readVariable('PATH') ?? '');
  if (programVersion === undefined) deps.log.warn({ profile: name }, 'profile.program_missing');
  if (!driver || programVersion === undefined || (await hasProbe(deps.db, name, programVersion))) return;
  const folder = join(deps.settings.agentsFolder, `probe-${randomUUID()}`);
  const agentId = idFromUuid('agent', randomUUID());
  const model = profile.model ?? 'default';
  const provider = profile.provider ?? name;
  const nobody = { session: undefined, agentId, epoch: 0, provider, model, turns: createTurnSlot() };
  await using ways = new AsyncDisposableStack();
  ways.defer(() => deps.leftFolders.leave(folder));
  const relay = await openRelay(deps, profile, nobody);
  ways.defer(() => relay?.close());
  const egress = await openAllowed(deps, profile, { agentId, tenantId: undefined });
  ways.defer(() => egress?.close());
  const { replicaId, incarnation } = deps.ownership.identity;
  const started = await driver.start(
    {
      agentId,
      endpoint: relay?.endpoint,
      ...{ relaySocketPath: relay?.socketPath, egressSocketPath: egress?.socketPath },
      ...(await describeProfile(deps.settings, profile, { profile: name, runtime: profile.runtime, provider, model })),
      folder,
      socketPath: '',
      token: '',
      turnMs: PROBE_MS,
      startMs: PROBE_MS,
      marker: childMarker({ replica: replicaId, incarnation }),
    },
    deaf,
  );
  if (started.status === 'failed') {
    deps.log.warn({ profile: name, code: started.failure.code }, 'profile.probe_failed');
    return;
  }
  await saveProbe(deps.db, { profile: name, programVersion, declared: started.agent.declared });
  await started.agent.stop({ graceMs: 1_000 });
}

/** Asks programs what they take, in the background. */
export type Probing = {
  /** Asks each program that was not asked yet in its version and with its present settings. */
  ask(): void;
  /** Resolves when nobody is being asked. */
  settled(): Promise<void>;
};

/** One round at a time: a profile may come while others are asked. */
export function createProbing(deps: ProbeDeps, isStopped: () => boolean): Probing {
  let asked = Promise.resolve();
  return {
    ask() {
      asked = asked.then(() => probeProfiles(deps, isStopped));
    },
    settled: () => asked,
  };
}

/** Asks each program that describes itself once per version and settings what it takes (evidence `live-probe`). A few at a time: one may hang. */
export async function probeProfiles(deps: ProbeDeps, isStopped: () => boolean): Promise<void> {
  const waiting = Object.entries(deps.profiles).filter(([, profile]) => isToAsk(deps, profile));
  const askInTurn = async () => {
    for (let next = waiting.shift(); next !== undefined && !isStopped(); next = waiting.shift()) {
      const [name, profile] = next;
      await probeProfile(deps, name, profile).catch((error) => {
        if (!isStopped()) deps.log.warn({ err: error, profile: name }, 'profile.probe_failed');
      });
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askInTurn));
}

function isToAsk({ drivers, settings }: ProbeDeps, profile: Profile): boolean {
  if (!drivers[profile.runtime]?.traits.isSelfDescribing) return false;
  if (isUndeniable(profile, settings.permissionMode)) return false;
  return chooseSandbox(profile, settings.sandbox).status !== 'unreachable';
}
