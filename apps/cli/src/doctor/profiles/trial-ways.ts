import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type AgentSpec, RELAY_PORT } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { openEgress } from '@attache/egress';
import { startModelRelay } from '@attache/model-relay';
import { readSecret } from '@attache/process-setup';
import { type ChosenSandbox, chooseSandbox } from '@attache/programs/choose-sandbox';
import { findProgram } from '@attache/programs/find-program';
import { createLogger, type Logger } from '@attache/telemetry';
import type { Offer } from './offer.ts';

/** The ways by which a program on trial reaches its model API and other hosts, as its agents do. */
export type TrialWays = Pick<AgentSpec, 'endpoint' | 'relaySocketPath' | 'egressSocketPath'>;

type Trial = { profile: Profile; folder: string };

/**
 * Runs `work` with the ways of an agent of this profile: a relay that passes on nothing but what the program asks between turns, and the proxy
 * of its sandbox. Its key stays here.
 */
export async function withWays<T>(offer: Offer, trial: Trial, work: (ways: TrialWays) => Promise<T>): Promise<T> {
  const log = createLogger({ service: 'doctor', level: 'silent' });
  const choice = chooseSandbox(trial.profile, offer.sandbox);
  const network = choice.status === 'sandboxed' ? choice.sandbox.network : undefined;
  await using opened = new AsyncDisposableStack();
  const relayed = await openRelay(offer, trial, { log, network, opened });
  return await work({ ...relayed, ...(await openProxy(trial, { log, network, opened })) });
}

/** Undefined if its agents have no sandbox. */
type Opening = { log: Logger; network: ChosenSandbox['network'] | undefined; opened: AsyncDisposableStack };

async function openRelay(
  { readVariable }: Pick<Offer, 'readVariable'>,
  { profile: { endpoint, runtime, command }, folder }: Trial,
  { log, network, opened }: Opening,
): Promise<Pick<TrialWays, 'endpoint' | 'relaySocketPath'>> {
  if (endpoint === undefined) return {};
  const relay = await startModelRelay({ log });
  opened.defer(() => relay.stop());
  const { apiKey } = endpoint;
  const { baseUrl, token, listen } = relay.open({
    ...{ agentId: idFromUuid('agent', randomUUID()), epoch: 0, model: undefined, maxRequestBytes: undefined },
    endpoint: {
      ...endpoint,
      readKey: async () => (apiKey === undefined ? undefined : readSecret(apiKey, readVariable)),
    },
    isInTurn: () => false,
    errands: findProgram(runtime, command)?.errands ?? [],
  });
  const given = { api: endpoint.api, apiKey: token, serverTools: endpoint.serverTools ?? [] };
  if (network === undefined) return { endpoint: { ...given, baseUrl } };
  const relaySocketPath = join(folder, 'relay.sock');
  return { endpoint: { ...given, baseUrl: await listen(relaySocketPath, RELAY_PORT) }, relaySocketPath };
}

async function openProxy(
  { folder }: Trial,
  { log, network, opened }: Opening,
): Promise<Pick<TrialWays, 'egressSocketPath'>> {
  if (typeof network !== 'object') return {};
  const egressSocketPath = join(folder, 'egress.sock');
  const agentId = idFromUuid('agent', randomUUID());
  const egress = await openEgress({ log, agentId, socketPath: egressSocketPath, allowed: network.allow });
  opened.defer(() => egress.close());
  return { egressSocketPath };
}
