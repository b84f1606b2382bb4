import { randomUUID } from 'node:crypto';
import { type AgentSpec, childMarker } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { permissionModeOf } from '@attache/domain';
import { readSecret } from '@attache/process-setup';
import { abilitiesOfModel } from '@attache/programs/abilities-of-model';
import { chooseSandbox } from '@attache/programs/choose-sandbox';
import { foldersOfPrograms } from '@attache/programs/folders-of-programs';
import { commandOf, type Offer } from './offer.ts';
import type { TrialWays } from './trial-ways.ts';

const START_MS = 30_000;

/** An agent of a profile as the gateway would start it, but without attachments. Its secrets must be there. */
export function describeSpec(
  offer: Offer,
  name: string,
  profile: Profile,
  { folder, ...ways }: Pick<AgentSpec, 'folder'> & TrialWays,
): AgentSpec {
  const { limits, home, provider = name, model = 'default' } = profile;
  const readNamed = (reference: string) => readSecret(reference, offer.readVariable) ?? '';
  const secrets = Object.entries(profile.secretEnv).map(([variable, reference]) => [variable, readNamed(reference)]);
  return {
    ...{
      folder,
      ...ways,
      sandbox: describeSandbox(offer, profile),
      home,
      limits,
      lineBytes: limits.lineBytes,
    },
    agentId: idFromUuid('agent', randomUUID()),
    command: commandOf(offer, profile),
    args: profile.args,
    env: { ...profile.env, ...Object.fromEntries(secrets) },
    socketPath: '',
    token: '',
    provider,
    model,
    modelTakes: abilitiesOfModel({ profile: name, runtime: profile.runtime, provider, model }, profile),
    permissionMode: permissionModeOf(profile, offer.permissionMode),
    turnMs: START_MS,
    startMs: profile.limits.startMs ?? START_MS,
    marker: childMarker({ replica: 'doctor', incarnation: randomUUID() }),
  };
}

function describeSandbox(
  { sandbox: byDefault, privateFolders, bundledPrograms }: Offer,
  profile: Profile,
): AgentSpec['sandbox'] {
  const choice = chooseSandbox(profile, byDefault);
  if (choice.status !== 'sandboxed') return undefined;
  const { command } = choice.sandbox;
  return { command, readOnly: [...choice.sandbox.readOnly, ...foldersOfPrograms(bundledPrograms)], privateFolders };
}
