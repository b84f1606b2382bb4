import { Fault, type PublisherName } from '@attache/contracts';
import type { Logger } from '@attache/telemetry';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { type NatsServers, parseNatsUrl } from './server/url.ts';
import { isSupportedVersion, SUPPORTED_VERSIONS } from './server/version.ts';

export type JetstreamLinkOptions = {
  /** `nats://user:password@host:port[,…]`. */
  url: string;
  service: PublisherName;
  log: Logger;
  /** As the server lists the connection. */
  name?: string | undefined;
};

/** One connection of a process to NATS. It reconnects for ever. */
export type JetstreamLink = {
  readonly service: PublisherName;
  readonly log: Logger;
  /** Addresses without credentials. */
  readonly where: string;
  readonly serverVersion: string;
  readonly nc: NatsConnection;
  readonly jsm: JetStreamManager;
  isConnected(): boolean;
  /** Calls back at each loss of the connection; answers a function that ends this. */
  onDisconnected(listener: () => void): () => void;
  /** Calls back after each reconnect; answers a function that ends this. */
  onReconnected(listener: () => void): () => void;
  /** Throws a fault that names what is wrong. */
  checkReady(): Promise<void>;
  /** Sends what is on its way, then closes. */
  close(): Promise<void>;
};

const TIMEOUT_MS = 5_000;
const READY_TIMEOUT_MS = 1_500;
const CLOSE_TIMEOUT_MS = 3_000;
const RECONNECT_MS = 100;
const RECONNECT_JITTER_MS = 400;

const refuse = (sentence: string, cause?: unknown) => new Fault('CONFIGURATION_INVALID', sentence, { cause });

/** The subject prefix for replies to a service: nobody else may listen there. */
export const inboxPrefixOf = (service: PublisherName): string => `_INBOX_${service}`;

/**
 * Connects, and refuses with one sentence a server that is not there, too old, without JetStream, or that does not take the
 * credentials. Once it is connected, a lost server is waited for.
 */
export async function connectJetstream(options: JetstreamLinkOptions): Promise<JetstreamLink> {
  const parsed = parseNatsUrl(options.url);
  const where = parsed.servers.join(', ');
  const nc = await open(options, parsed, where);
  try {
    return createLink(options, where, nc, await checkServer(nc, options.service, where));
  } catch (error) {
    await nc.close();
    throw error;
  }
}

async function open({ service, name }: JetstreamLinkOptions, parsed: NatsServers, where: string) {
  const { isTls, ...servers } = parsed;
  try {
    return await connect({
      ...servers,
      ...(isTls ? { tls: {} } : {}),
      name: name ?? `attache-${service}`,
      inboxPrefix: inboxPrefixOf(service),
      noEcho: true,
      timeout: TIMEOUT_MS,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      reconnectDelayHandler: () => RECONNECT_MS + Math.random() * RECONNECT_JITTER_MS,
      pingInterval: 10_000,
      waitOnFirstConnect: false,
    });
  } catch (cause) {
    if (cause instanceof errors.AuthorizationError) {
      throw refuse(`The NATS server at ${where} refuses the user or password in ATTACHE_NATS_URL.`, cause);
    }
    throw refuse(`No NATS server answers at ${where}: start it, or correct ATTACHE_NATS_URL.`, cause);
  }
}

async function checkServer(nc: NatsConnection, service: PublisherName, where: string): Promise<JetStreamManager> {
  const version = nc.info?.version ?? 'unknown';
  if (!isSupportedVersion(version)) {
    throw refuse(`The NATS server of ATTACHE_NATS_URL (${where}) is ${version}, and must be ${SUPPORTED_VERSIONS}.`);
  }
  const missing = `The NATS server of ATTACHE_NATS_URL (${where}) has no JetStream: start it with -js.`;
  if (!nc.info?.jetstream) throw refuse(missing);
  try {
    return await jetstreamManager(nc, { timeout: TIMEOUT_MS });
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'JetStreamNotEnabled') throw refuse(missing, cause);
    throw refuse(
      `The user in ATTACHE_NATS_URL may not do on the NATS server at ${where} what ${service} needs: use the user of this service.`,
      cause,
    );
  }
}

function createLink(
  { service, log }: JetstreamLinkOptions,
  where: string,
  nc: NatsConnection,
  jsm: JetStreamManager,
): JetstreamLink {
  const state: LinkState = { isConnected: true, whenLost: new Set(), whenBack: new Set() };
  void watchStatus(nc, state, log);
  const listenIn = (listeners: Set<() => void>, listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    ...{ service, log, where, nc, jsm, serverVersion: nc.info?.version ?? 'unknown' },
    isConnected: () => state.isConnected,
    onDisconnected: (listener) => listenIn(state.whenLost, listener),
    onReconnected: (listener) => listenIn(state.whenBack, listener),
    async checkReady() {
      if (!state.isConnected) throw new Fault('INTERNAL', `NATS at ${where} does not answer.`, { retryable: true });
      const late = new Promise<never>((_, reject) => {
        setTimeout(
          () => reject(new Fault('INTERNAL', `NATS at ${where} does not answer in time.`)),
          READY_TIMEOUT_MS,
        ).unref();
      });
      await Promise.race([nc.flush(), late]);
    },
    async close() {
      if (nc.isClosed()) return;
      const tooLate = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
      // Without a server there is nobody to drain to.
      if (state.isConnected) await Promise.race([nc.drain().catch(() => {}), tooLate]);
      if (!nc.isClosed()) await nc.close();
    },
  };
}

type LinkState = { isConnected: boolean; whenLost: Set<() => void>; whenBack: Set<() => void> };

async function watchStatus(nc: NatsConnection, state: LinkState, log: Logger): Promise<void> {
  for await (const status of nc.status()) {
    if (status.type === 'disconnect') {
      state.isConnected = false;
      log.warn('nats.disconnected');
      for (const listener of state.whenLost) listener();
    } else if (status.type === 'reconnect') {
      state.isConnected = true;
      log.info('nats.reconnected');
      for (const listener of state.whenBack) listener();
    } else if (status.type === 'error') {
      log.warn({ reason: status.error.name }, 'nats.refused');
    }
  }
  state.isConnected = false;
}
