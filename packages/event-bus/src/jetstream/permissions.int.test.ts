import { randomUUID } from 'node:crypto';
import {
  busSubjectOf,
  deltaSubjectOf,
  eventsSubjectOf,
  idFromUuid,
  logBellSubjectOf,
  ownerRingSubjectOf,
  PROJECTOR_RING_SUBJECT,
  type PublisherName,
  ringSubjectsOf,
  type SessionEvent,
  tenantRingSubjectOf,
} from '@attache/contracts';
import { type NatsConnection, PermissionViolationError } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ack,
  type Backends,
  missing,
  openConsumer,
  openLink,
  openRelay,
  publish,
  readStates,
  startBackends,
} from '../../contract/jetstream-backends.contract.ts';
import { createNatsDoorbells } from './doorbells.ts';
import { inboxPrefixOf, type JetstreamLink } from './link.ts';
import { natsPermissionsOf } from './permissions.ts';
import { WORK_STREAM } from './topology.ts';

const event: SessionEvent = {
  ...{ id: idFromUuid('event', randomUUID()), seq: 1, at: '2026-01-01T00:00:00.000Z', kind: 'agent.output' },
  ...{ actor: { type: 'service', id: 'ingest' }, traceId: 't', schemaVersion: 1, data: { text: '' } },
};

const services = ['ingest', 'projector', 'runner-gateway'] as const;
const WAIT = { timeout: 60_000, interval: 20 };

let backends: Backends;

const urlOf = (service: PublisherName) => backends.nats.url.replace('//', `//${service}:pw-${service}@`);

const openAs = (service: PublisherName) => openLink({ url: urlOf(service) }, service);

/** The raw connection of an intruder who has a service's credentials, and the list of the server's refusals. */
async function breakInAs(service: PublisherName): Promise<{ nc: NatsConnection; refused: string[] }> {
  const nc = await connect({
    servers: new URL(backends.nats.url).host,
    ...{ user: service, pass: `pw-${service}`, inboxPrefix: inboxPrefixOf(service) },
  });
  onTestFinished(() => nc.close());
  const refused: string[] = [];
  void (async () => {
    for await (const status of nc.status()) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      refused.push(`${status.error.operation} ${status.error.subject}`);
    }
  })();
  return { nc, refused };
}

const forbiddenSubjects: Record<PublisherName, string[]> = {
  ingest: ['attache.work.runner-gateway.delivery.written', deltaSubjectOf(randomUUID())],
  projector: [
    ...[busSubjectOf('attachment.added'), busSubjectOf('session.ended'), deltaSubjectOf(randomUUID())],
    PROJECTOR_RING_SUBJECT,
  ],
  'runner-gateway': [busSubjectOf('delivery.prepared'), busSubjectOf('delivery.queued'), eventsSubjectOf(randomUUID())],
};

/** The subjects on which rings for other services arrive. */
const foreignRings: Record<PublisherName, string[]> = {
  ingest: [...ringSubjectsOf.projector, ...ringSubjectsOf['runner-gateway']],
  projector: [...ringSubjectsOf['runner-gateway'], ownerRingSubjectOf(randomUUID())],
  'runner-gateway': [...ringSubjectsOf.projector],
};

const forbiddenToAll = [
  'attache.ring.gateway.owner',
  'attache.ring.gateway.any.a',
  'attache.ring.gateway.owner.a.b',
  `$JS.API.STREAM.DELETE.${WORK_STREAM}`,
  `$JS.API.STREAM.PURGE.${WORK_STREAM}`,
  '$JS.API.STREAM.CREATE.OTHER',
  '$JS.API.STREAM.LIST',
  `$JS.API.STREAM.MSG.GET.${WORK_STREAM}`,
  `$JS.API.STREAM.MSG.DELETE.${WORK_STREAM}`,
  `$JS.API.CONSUMER.DELETE.${WORK_STREAM}.projector`,
  `$JS.API.CONSUMER.CREATE.${WORK_STREAM}.spy`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${WORK_STREAM}.projector`,
  // Its own consumer with the messages of all.
  `$JS.API.CONSUMER.CREATE.${WORK_STREAM}.projector.attache.work.x`,
  '$KV.bucket.key',
  '$SYS.REQ.SERVER.PING',
  'attache.bell.log.a.b',
  'anything',
];

describe.skipIf(missing)(missing ? `NATS users: ${missing}` : 'NATS users', () => {
  beforeAll(async () => {
    const users = services.map((service) => ({
      ...{ service, password: `pw-${service}`, permissions: natsPermissionsOf(service) },
    }));
    backends = await startBackends({ users });
  });
  afterAll(() => backends.stop());

  it('may do all that the services do: relay, consume, settle, ring [S28]', async () => {
    const links = await Promise.all(services.map(openAs));
    const [ingest, projector, gateway] = links as [JetstreamLink, JetstreamLink, JetstreamLink];
    for (const link of links) openRelay(backends, link);
    const tenantId = randomUUID();
    openConsumer(backends, projector, ack);
    openConsumer(backends, gateway, async () => ({ as: 'term', reason: 'no' }), { consumer: 'runner-gateway' });
    const [added, prepared] = [
      await publish(backends, tenantId),
      await publish(backends, tenantId, 'delivery.prepared'),
    ];
    await vi.waitUntil(async () => {
      const states = await readStates(backends, tenantId);
      return states[added] === 'done' && states[prepared] === 'dead';
    }, WAIT);
    const sessionId = randomUUID();
    const heard = vi.fn();
    createNatsDoorbells({ link: ingest, publisher: 'ingest' }).listen(`log:${sessionId}`, heard);
    await ingest.nc.flush();
    createNatsDoorbells({ link: gateway, publisher: 'runner-gateway' }).ring([`log:${sessionId}`]);
    await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce(), WAIT);
  });

  it.each(services)(
    'may feed the followers of another process of ingest with what they commit, as %s [S28]',
    async (service) => {
      const [follower, feeder] = [await openAs('ingest'), await openAs(service)];
      const refused = vi.spyOn(feeder.log, 'warn');
      const [heard, sessionId] = [vi.fn(), randomUUID()];
      createNatsDoorbells({ link: follower, publisher: 'ingest' }).listenEvents(sessionId, heard);
      await follower.nc.flush();
      const live = { tenantId: randomUUID(), events: [event] };
      createNatsDoorbells({ link: feeder, publisher: service }).sendEvents(sessionId, live);
      await feeder.nc.flush();
      await vi.waitFor(() => expect(heard.mock.calls).toEqual([[live]]), WAIT);
      expect(refused).not.toHaveBeenCalled();
    },
  );

  it('may ring for whoever takes what they announce, and hear what is theirs [S28]', async () => {
    const [ingest, projector, gateway] = await Promise.all(services.map(breakInAs));
    const ways = [
      [ingest, projector, PROJECTOR_RING_SUBJECT],
      [gateway, projector, PROJECTOR_RING_SUBJECT],
      ...[ingest, projector].flatMap((ringer) =>
        [ownerRingSubjectOf(randomUUID()), tenantRingSubjectOf(randomUUID())].map(
          (subject) => [ringer, gateway, subject] as const,
        ),
      ),
    ] as const;
    for (const [ringer, listener, subject] of ways) {
      const heard = vi.fn();
      const callback = (error: Error | null) => (error ? undefined : heard());
      const subscription = listener?.nc.subscribe(subject, { queue: 'q', callback });
      await listener?.nc.flush();
      ringer?.nc.publish(subject, '{}');
      await ringer?.nc.flush();
      await vi.waitFor(() => expect(heard, subject).toHaveBeenCalledOnce(), WAIT);
      subscription?.unsubscribe();
    }
    expect([ingest, projector, gateway].flatMap((one) => one?.refused)).toEqual([]);
  });

  it.each(services)('may publish nothing else, as %s: no foreign subject, no administration [S28]', async (service) => {
    const { nc, refused } = await breakInAs(service);
    const tried = [...forbiddenSubjects[service], ...forbiddenToAll];
    for (const subject of tried) nc.publish(subject, '{}');
    await nc.flush();
    await vi.waitFor(() => expect(refused).toEqual(tried.map((subject) => `publish ${subject}`)), WAIT);
  });

  it.each(services)('may listen to nothing else, as %s: alone or in a queue group [S28]', async (service) => {
    const { nc, refused } = await breakInAs(service);
    const others = services.filter((other) => other !== service).map((other) => `${inboxPrefixOf(other)}.>`);
    const all = ['>', '$KV.>', '$JS.>', '_INBOX.>', '*.>', 'attache.>', 'attache.work.>', 'attache.ring.>'];
    const subjects = [...all, ...foreignRings[service], ...others];
    const heard = vi.fn();
    for (const subject of subjects) {
      nc.subscribe(subject, { callback: (error) => (error ? undefined : heard()) });
      nc.subscribe(subject, { queue: 'around', callback: (error) => (error ? undefined : heard()) });
    }
    await nc.flush();
    const expected = subjects.flatMap((subject) => [`subscription ${subject}`, `subscription ${subject}`]);
    await vi.waitFor(() => expect(refused).toEqual(expected), WAIT);
    openRelay(backends, await openAs('ingest'));
    await publish(backends);
    await nc.flush();
    expect(heard).not.toHaveBeenCalled();
  });

  it('are all there are: who has none, as the child of an agent, does not even connect [S28]', async () => {
    const servers = new URL(backends.nats.url).host;
    await expect(connect({ servers, reconnect: false })).rejects.toThrow();
    await expect(connect({ servers, user: 'ingest', pass: 'guess', reconnect: false })).rejects.toThrow();
  });

  it.each(['*', '>', 'a.b', 'a b', ''])(
    'send %j as an id nowhere: it is refused before there is a subject [S28]',
    async (id) => {
      const link = await openAs('ingest');
      const sent = vi.spyOn(link.nc, 'publish');
      const doorbells = createNatsDoorbells({ link, publisher: 'ingest' });
      doorbells.ring([`log:${id}`]);
      expect(() => doorbells.listen(`log:${id}`, () => {})).toThrow('uuid');
      for (const subjectOf of [logBellSubjectOf, ownerRingSubjectOf, tenantRingSubjectOf])
        expect(() => subjectOf(id)).toThrow('uuid');
      expect(sent).not.toHaveBeenCalled();
    },
  );
});
