import { Fault } from '@attache/contracts';
import { JetStreamApiError } from '@nats-io/jetstream';
import type { JetstreamLink } from './link.ts';
import { type ConsumerSpec, consumersOf, type StreamSpec, streams, TOPOLOGY_VERSION, VERSION_KEY } from './topology.ts';

export type TopologyOptions = {
  /** After how long a message of a consumer that died comes again. */
  ackWaitMs?: number | undefined;
};

/**
 * Makes the streams, and the consumers of this process's service, or brings them up to date. Repeatable, and safe for many
 * processes at once. A new stream has one copy in a cluster; one that exists keeps its number. Throws one sentence where what is there cannot be changed
 * into what is needed.
 */
export async function ensureTopology(link: JetstreamLink, options: TopologyOptions = {}): Promise<void> {
  for (const spec of streams) await ensureStream(link, spec);
  for (const { stream, config } of consumersOf(link.service, options.ackWaitMs)) {
    await ensureConsumer(link, stream, config);
  }
}

const restoring = new WeakMap<JetstreamLink, Promise<void>>();

/** Makes again what is gone from the broker; one attempt at a time, whose failure is only logged. */
export function restoreTopology(link: JetstreamLink): Promise<void> {
  const running = restoring.get(link);
  if (running) return running;
  const attempt = ensureTopology(link)
    .catch((error) => link.log.warn({ err: error }, 'bus.topology_missing'))
    .finally(() => restoring.delete(link));
  restoring.set(link, attempt);
  return attempt;
}

type Described = { metadata?: Record<string, string> };

/** Whether what exists differs from what is wanted, in what is wanted. */
function differs(found: object & Described, wanted: object & Described): boolean {
  if (Number(found.metadata?.[VERSION_KEY]) > TOPOLOGY_VERSION) return false;
  return Object.entries(wanted).some(([key, value]) => {
    if (key === 'metadata') return found.metadata?.[VERSION_KEY] !== wanted.metadata?.[VERSION_KEY];
    return JSON.stringify(found[key as keyof typeof found]) !== JSON.stringify(value);
  });
}

async function ensureStream({ jsm }: JetstreamLink, wanted: StreamSpec): Promise<void> {
  const { name } = wanted;
  await refuseClearly(`The NATS stream ${name}`, async () => {
    // If another process creates a stream at the same time, it is the same.
    const found = (await findOrUndefined(() => jsm.streams.info(name))) ?? (await jsm.streams.add(wanted));
    if (differs(found.config, wanted)) await jsm.streams.update(name, wanted);
  });
}

async function ensureConsumer({ jsm }: JetstreamLink, stream: string, wanted: ConsumerSpec): Promise<void> {
  const name = wanted.durable_name;
  await refuseClearly(`The NATS consumer ${name} of ${stream}`, async () => {
    const found =
      (await findOrUndefined(() => jsm.consumers.info(stream, name))) ?? (await jsm.consumers.add(stream, wanted));
    if (differs(found.config, wanted)) await jsm.consumers.update(stream, name, wanted);
  });
}

async function findOrUndefined<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function refuseClearly(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const why = cause instanceof JetStreamApiError ? cause.message : 'the server does not answer, or this user may not';
    throw new Fault('CONFIGURATION_INVALID', `${what} cannot be brought up to date (ATTACHE_NATS_URL): ${why}.`, {
      cause,
      retryable: !(cause instanceof JetStreamApiError),
    });
  }
}
