import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type AgentSpec, RELAY_PORT } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { openEgress } from '@attache/egress';
import { startModelRelay } from '@attache/model-relay';
import { type ChosenSandbox, chooseSandbox } from '@attache/programs/choose-sandbox';
import { findProgram } from '@attache/programs/find-program';
import { createLogger, type Logger } from '@attache/telemetry';
import type { Offer } from './offer.ts';
import { startTrialApi, watchFirstRequest } from './trial-api.ts';

/** The ways by which a program on trial reaches its model API and other hosts, as its agents do. */
export type TrialWays = Pick<AgentSpec, 'endpoint' | 'relaySocketPath' | 'egressSocketPath'>;

/** The first request of its turn; undefined if it asks no relay. */
export type FirstRequest = Pick<ReturnType<typeof watchFirstRequest>, 'await'> | undefined;

type Trial = { profile: Profile; folder: string };

/**
 * Runs `work` with the ways of an agent of this profile: a relay, before an API that refuses everything, and the proxy of its sandbox. Its key is
 * not read.
 */
export async function withWays<T>(
  offer: Pick<Offer, 'sandbox'>,
  trial: Trial,
  work: (ways: TrialWays, firstRequest: FirstRequest) => Promise<T>,
): Promise<T> {
  const log = createLogger({ service: 'doctor', level: 'silent' });
  const choice = chooseSandbox(trial.profile, offer.sandbox);
  const network = choice.status === 'sandboxed' ? choice.sandbox.network : undefined;
  await using opened = new AsyncDisposableStack();
  const firstRequest = trial.profile.endpoint === undefined ? undefined : watchFirstRequest();
  const relayed = firstRequest === undefined ? {} : await openRelay(trial, { log, network, opened, firstRequest });
  return await work({ ...relayed, ...(await openProxy(trial, { log, network, opened })) }, firstRequest);
}

/** Undefined if its agents have no sandbox. */
type Opening = { log: Logger; network: ChosenSandbox['network'] | undefined; opened: AsyncDisposableStack };

async function openRelay(
  { profile: { endpoint, runtime, command }, folder }: Trial,
  { log, network, opened, firstRequest }: Opening & { firstRequest: ReturnType<typeof watchFirstRequest> },
): Promise<Pick<TrialWays, 'endpoint' | 'relaySocketPath'>> {
  if (endpoint === undefined) return {};
  const relay = await startModelRelay({ log });
  opened.defer(() => relay.stop());
  const api = await startTrialApi();
  opened.defer(() => api.stop());
  const { baseUrl, token, listen } = relay.open({
    ...{ agentId: idFromUuid('agent', randomUUID()), epoch: 0, model: undefined, maxRequestBytes: undefined },
    endpoint: { ...endpoint, baseUrl: api.standInFor(endpoint.baseUrl), readKey: async () => undefined },
    ...{ isInTurn: firstRequest.isInTurn, watchRequest: firstRequest.watchRequest },
    errands: findProgram(runtime, command)?.errands ?? [],
  });
  const given = { api: endpoint.api, apiKey: token, env: endpoint.env, serverTools: endpoint.serverTools ?? [] };
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
