import { readOfferedProfiles } from '@attache/process-setup';
import { type HostedStack, startHosted } from '@attache/test-harness';
import { busyProfile } from '../fairness/loads/busy-agents.ts';
import { createHttpClient, type HttpClient } from '../product/http-client.ts';
import type { Backends } from './start-backends.ts';

const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;

/** The three services, each in a process of its own, and the way to speak to them. */
export type HostedProduct = {
  stack: HostedStack;
  /** Its processes now. */
  pids(): number[];
  /** The first of the clients below. */
  client: HttpClient;
  /** Clients with a connection each. */
  clients: readonly HttpClient[];
  stop(): Promise<void>;
};

export async function startHostedProduct(backends: Backends, clientCount: number): Promise<HostedProduct> {
  const stack = await startHosted({
    profiles: { ...readOfferedProfiles(undefined, '').profiles, busy: busyProfile },
    servers: { ...backends, minio: backends.store },
    environment: {
      ATTACHE_LOG_LEVEL: 'error',
      // A gateway ends what agents an earlier life under its name left: on one machine, a name for each stack.
      ATTACHE_REPLICA_ID: `bench-${process.pid}`,
      ATTACHE_MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES),
      // The limits are counted, but never reached: one bench is many users.
      ATTACHE_RATE_PER_KEY: '1000000',
      ATTACHE_RATE_PER_TENANT: '1000000',
    },
  });
  const authorization = `Bearer ${stack.apiKey}`;
  const create = () => createHttpClient(`${stack.url}/v1`, { authorization });
  const [client, ...others] = [create(), ...Array.from({ length: clientCount - 1 }, create)];
  return {
    stack,
    pids: () => Object.values(stack.services).map(({ process: { pid } }) => pid ?? 0),
    client,
    clients: [client, ...others],
    async stop() {
      for (const each of [client, ...others]) each.close();
      await stack.stop();
    },
  };
}
