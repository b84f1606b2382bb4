import { randomUUID } from 'node:crypto';
import type { AgentEndpoint } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { startModelRelay } from '@attache/model-relay';
import { readSecret } from '@attache/operations';
import { findProgram } from '@attache/programs/find-program';
import { createLogger } from '@attache/telemetry';
import type { Offer } from './offer.ts';

/**
 * Runs `work` with the endpoint that a program gets in the place of its model API: a relay, as its agents have one, that passes on nothing but
 * what the program asks between turns. Its key stays here. Undefined where the profile names no model API.
 */
export async function behindRelay<T>(
  { readVariable }: Pick<Offer, 'readVariable'>,
  { endpoint, runtime, command }: Pick<Profile, 'endpoint' | 'runtime' | 'command'>,
  work: (endpoint: AgentEndpoint | undefined) => Promise<T>,
): Promise<T> {
  if (endpoint === undefined) return await work(undefined);
  const relay = await startModelRelay({ log: createLogger({ service: 'doctor', level: 'silent' }) });
  const { apiKey } = endpoint;
  const readKey = async () => (apiKey === undefined ? undefined : readSecret(apiKey, readVariable));
  try {
    const { baseUrl, token } = relay.open({
      ...{ agentId: idFromUuid('agent', randomUUID()), epoch: 0, model: undefined, maxRequestBytes: undefined },
      endpoint: { ...endpoint, readKey },
      isInTurn: () => false,
      errands: findProgram(runtime, command)?.errands ?? [],
    });
    return await work({ api: endpoint.api, baseUrl, apiKey: token, serverTools: endpoint.serverTools ?? [] });
  } finally {
    await relay.stop();
  }
}
