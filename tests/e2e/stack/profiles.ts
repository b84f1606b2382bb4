import { profileSchema } from '@attache/contracts';
import { readOfferedProfiles } from '@attache/process-setup';
import { lateAgent, scriptedAgent, steeredAgent } from '@attache/test-harness';

/** A profile as an operator writes it. */
export type ProfileInput = (typeof profileSchema)['_input'];

const program = ['attache-example-agent'];
const example: ProfileInput = { runtime: 'acp', command: program, provider: 'example', model: 'example-vision' };
const unknownModel: ProfileInput = { ...example, provider: 'elsewhere', model: 'mystery-1' };
// Nobody knows what a program that no row names needs to reach. It runs in a sandbox if one works.
const unnamed: Pick<ProfileInput, 'runtime' | 'ownTools' | 'sandbox'> = {
  ...{ runtime: 'acp', ownTools: 'none' },
  sandbox: { network: 'none' },
};
const scripted: ProfileInput = { ...unnamed, command: [process.execPath, scriptedAgent] };

export const seeing: ProfileInput = { ...scripted, capability: { image: true } };

const armed: ProfileInput = {
  ...{ runtime: 'acp', command: [process.execPath, scriptedAgent, 'opencode'] },
  ...{ provider: 'elsewhere', model: 'm', capability: { image: true }, sandbox: { network: 'none' } },
};

/** The profiles of every stack under test, besides those that it brings. */
const profiles: Record<string, ProfileInput> = {
  // They do what the lines `do: <verb> [argument]` of a message say.
  scripted,
  seeing,
  restless: { ...scripted, limits: { idleStopMs: 1 } },
  bounded: { ...scripted, limits: { folderBytes: 8_000_000 } },
  // Without a sandbox, wherever one works.
  open: { ...scripted, sandbox: { mode: 'none' } },
  late: { ...unnamed, command: [process.execPath, lateAgent] },
  // A delivery that comes during a turn enters it; the agent does not rest for long.
  steered: {
    runtime: 'codex-app-server',
    command: [process.execPath, steeredAgent],
    provider: 'openai',
    limits: { idleStopMs: 800 },
    sandbox: { network: 'none' },
  },
  // As a program whose own tools read files, by the name behind it; and the same with none that may run.
  armed: { ...armed, permissionMode: 'gated' },
  disarmed: { ...armed, permissionMode: 'deny', ownTools: 'none' },
  // An agent of its operator's own, and the operator's word that it reads files.
  reading: { ...scripted, ownTools: undefined, capability: { files: true }, permissionMode: 'gated' },
  // A model of which nothing is known, and the operator's word for it.
  stranger: unknownModel,
  vouched: { ...unknownModel, capability: { image: true } },
  // Their lines hold a small picture but not a large one, and no more than a greeting.
  narrow: { ...example, limits: { lineBytes: 120_000 } },
  slit: { ...example, limits: { lineBytes: 6_000 } },
  // They do not start, or not well.
  absent: { ...unnamed, command: ['no-such-program-on-this-machine'] },
  dying: { runtime: 'acp', command: program, args: ['--exit-before-initialize'] },
  garbled: { runtime: 'acp', command: program, args: ['--garbage'] },
  gated: { runtime: 'acp', command: program, permissionMode: 'gated' },
  toolless: { runtime: 'acp', command: program, permissionMode: 'deny' },
  undeniable: {
    ...{ runtime: 'acp', command: [process.execPath, scriptedAgent], permissionMode: 'deny' },
    sandbox: { network: 'none' },
  },
  hasty: { runtime: 'acp', command: program, provider: 'example', limits: { turnMs: 300 } },
};

/** The contents of a profiles file: those of a stack as it comes, and the ones above. */
export function composeProfiles(beside: Record<string, ProfileInput> = {}): Record<string, unknown> {
  const offered = readOfferedProfiles(undefined, '').profiles;
  const parsed = Object.entries({ ...profiles, ...beside }).map(([name, profile]) => [
    name,
    profileSchema.parse(profile),
  ]);
  return { ...offered, ...Object.fromEntries(parsed) };
}
