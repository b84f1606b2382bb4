import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentDriver, type FoundBubblewrap, findProgramBarrier, resolveProgram } from '@attache/agent-process';
import type { Profile, Runtime, TriState } from '@attache/contracts';
import { permissionModeOf, redactText } from '@attache/domain';
import { findMissingSecrets } from '@attache/process-setup';
import { type ChosenSandbox, chooseSandbox } from '@attache/programs/choose-sandbox';
import { type Denial, findDenial, isUndeniable } from '@attache/programs/find-denial';
import { findProgram } from '@attache/programs/find-program';
import type { GatePlace } from '@attache/programs/gate-place';
import { describeSpec } from './agent-spec.ts';
import { type Abilities, describeAbilities } from './describe-abilities.ts';
import { commandOf, type Offer } from './offer.ts';
import { readVersion } from './read-version.ts';
import { withWays } from './trial-ways.ts';
import { type StartTrial, tryStart } from './try-start.ts';

/** How a program reaches its model: by the relay, or by a key of its own. */
export type ModelWay = 'relay' | 'own';

/** The sandbox of its agents; `unreachable`: nothing says which hosts they need to reach. */
export type SandboxReport =
  | { status: 'none'; isByProfile: boolean }
  | { status: 'unreachable' }
  /** A wrapper of the operator's own. */
  | { status: 'wrapped'; program: string }
  | {
      status: 'sandboxed';
      network: ChosenSandbox['network'];
      bubblewrap: FoundBubblewrap;
      /** A folder or file that its agents' own user cannot enter or read. */
      barrier?: string | undefined;
    };

/** All findings on one profile. Holds no argument, endpoint or secret. */
export type ProfileReport = {
  profile: string;
  runtime: Runtime;
  isNamedInFile: boolean;
  /** As the profile names it. */
  program: string;
  /** Absent: it is not there. */
  programPath?: string | undefined;
  /** It comes with the product. */
  isBundled: boolean;
  version?: string | undefined;
  /** The version with which Attaché was tried. */
  triedVersion?: string | undefined;
  start: StartTrial;
  abilities: Abilities;
  gate: GatePlace;
  permissionMode: 'gated' | 'deny';
  /** How its agents reach their model API; undefined if it calls none. */
  modelWay?: ModelWay | undefined;
  sandbox: SandboxReport;
  /** Why it has no tools of its own under `deny`. */
  denial?: Denial | undefined;
  /** Whether a later process continues with the conversation. */
  survivesRestart: TriState;
};

export type Examination = {
  offer: Offer;
  drivers: Readonly<Partial<Record<Runtime, AgentDriver>>>;
  isStarting: boolean;
};

/** Looks for the program of a profile, asks its version, starts it once and has it ask an API that refuses everything, in a folder that is removed afterwards. */
export async function examineProfile(examination: Examination, name: string): Promise<ProfileReport> {
  const { offer } = examination;
  const profile = offer.profiles[name];
  if (profile === undefined) throw new Error(`the profile ${name} is not offered`);
  const driver = examination.drivers[profile.runtime];
  const known = findProgram(profile.runtime, profile.command);
  if (driver === undefined || known === undefined) throw new Error(`the profile ${name} has no driver`);
  const [program = ''] = commandOf(offer, profile);
  const programPath = await resolveProgram(program, profile.env.PATH ?? offer.inherited.PATH);
  const folder = await mkdtemp(join(tmpdir(), 'attache-doctor-'));
  try {
    const trial = { name, profile, driver, folder };
    const version = programPath === undefined ? undefined : await askVersion(offer, trial);
    const start =
      programPath === undefined ? notTried('its program is not there') : await startAgent(examination, trial);
    return {
      ...{ profile: name, runtime: profile.runtime, isNamedInFile: offer.profilesFile !== undefined },
      ...{ program: profile.command[0] ?? '', programPath, version, start },
      isBundled: isBundled(offer, profile),
      triedVersion: known.package?.version,
      abilities: describeAbilities(offer.profiles, name, start.status === 'started' ? start.declared : undefined),
      gate: known.gate,
      permissionMode: permissionModeOf(profile, offer.permissionMode),
      denial: findDenial(profile),
      sandbox: await describeSandbox(offer, profile),
      modelWay: isBundled(offer, profile) ? undefined : profile.endpoint === undefined ? 'own' : 'relay',
      survivesRestart: judgeRestart(driver, start),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function describeSandbox(offer: Offer, profile: Profile): Promise<SandboxReport> {
  const { sandbox: byDefault, bubblewrap } = offer;
  const choice = chooseSandbox(profile, byDefault);
  if (choice.status === 'none') return { status: 'none', isByProfile: profile.sandbox?.mode === 'none' };
  if (choice.status === 'unreachable') return choice;
  const { network, command } = choice.sandbox;
  if (command !== undefined) return { status: 'wrapped', program: command[0] ?? '' };
  return { status: 'sandboxed', network, bubblewrap, barrier: await findBarrierTo(offer, profile) };
}

/** The folder or file that keeps an agent's own user from its program. */
async function findBarrierTo(offer: Offer, profile: Profile): Promise<string | undefined> {
  if (offer.agentUsers === undefined) return undefined;
  const { first } = offer.agentUsers;
  const path = profile.env.PATH ?? offer.inherited.PATH;
  return findProgramBarrier(commandOf(offer, profile), path, { uid: first, gid: first });
}

type Trial = { name: string; profile: Profile; driver: AgentDriver; folder: string };

const notTried = (why: string): StartTrial => ({ status: 'not-tried', why });

const isBundled = (offer: Offer, profile: Profile): boolean => commandOf(offer, profile) !== profile.command;

async function askVersion(offer: Offer, { name, profile, folder }: Trial): Promise<string | undefined> {
  if (isBundled(offer, profile)) return undefined;
  const unarmed = { ...profile, secretEnv: {} };
  const spec = describeSpec(offer, name, unarmed, { folder: join(folder, 'version'), endpoint: undefined });
  return await readVersion(spec, { inherited: offer.inherited, redact: redactText });
}

async function startAgent({ offer, isStarting }: Examination, trial: Trial): Promise<StartTrial> {
  if (!isStarting) return notTried('--no-start was said');
  const { name, profile, driver, folder } = trial;
  if (isUndeniable(profile, offer.permissionMode)) return notTried('its agents are not started');
  const sandbox = await describeSandbox(offer, profile);
  if (sandbox.status === 'unreachable') return notTried('nothing says what its agents need to reach');
  if (sandbox.status === 'sandboxed' && sandbox.bubblewrap.status !== 'works') return notTried('no sandbox works here');
  if (profile.endpoint?.apiKey?.startsWith('tenant:')) return notTried('its key is a secret that each tenant saves');
  const [missing] = findMissingSecrets(profile, { readVariable: offer.readVariable, opensTenantSecrets: true });
  if (missing !== undefined) return notTried(`${missing} here`);
  return await withWays(offer, { profile, folder }, (ways, firstRequest) =>
    tryStart(driver, describeSpec(offer, name, profile, { folder: join(folder, 'agent'), ...ways }), firstRequest),
  );
}

/** If programs of a runtime describe themselves, each program's own report decides. */
function judgeRestart({ traits }: AgentDriver, start: StartTrial): TriState {
  if (!traits.isSelfDescribing) return 'yes';
  if (start.status !== 'started') return 'unknown';
  return start.isNamed ? 'yes' : 'no';
}
