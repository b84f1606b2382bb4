import { randomUUID } from 'node:crypto';
import { type AgentSpec, childMarker } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { permissionModeOf } from '@attache/domain';
import { readSecret } from '@attache/operations';
import { commandOf, type Offer } from './offer.ts';

const START_MS = 30_000;

/** An agent of a profile as the gateway would start it, but without attachments. Its secrets must be there. */
export function describeSpec(
  offer: Offer,
  name: string,
  profile: Profile,
  { folder, endpoint }: Pick<AgentSpec, 'folder' | 'endpoint'>,
): AgentSpec {
  const { limits, capability, home, model } = profile;
  const readNamed = (reference: string) => readSecret(reference, offer.readVariable) ?? '';
  const secrets = Object.entries(profile.secretEnv).map(([variable, reference]) => [variable, readNamed(reference)]);
  return {
    ...{ folder, endpoint, home, capability, limits, lineBytes: limits.lineBytes },
    agentId: idFromUuid('agent', randomUUID()),
    command: commandOf(offer, profile),
    args: profile.args,
    env: { ...profile.env, ...Object.fromEntries(secrets) },
    socketPath: '',
    token: '',
    provider: profile.provider ?? name,
    model: model ?? 'default',
    permissionMode: permissionModeOf(profile, offer.permissionMode),
    turnMs: START_MS,
    startMs: profile.limits.startMs ?? START_MS,
    marker: childMarker({ replica: 'doctor', incarnation: randomUUID() }),
  };
}
