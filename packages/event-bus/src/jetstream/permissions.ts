import {
  busSubjectOf,
  type ConsumerName,
  consumerOfSubject,
  OWNERS_BELL_SUBJECT,
  type PublisherName,
  RELAY_BELL_SUBJECT,
  REQUEST_COUNTS_SUBJECT,
  ringSubjectsOf,
  subjectsOfConsumer,
  subjectsOfPublisher,
} from '@attache/contracts';
import { inboxPrefixOf } from './link.ts';
import { consumersOf, streams } from './topology.ts';

/** The permissions of a service's NATS user; everything else is denied. */
export type NatsPermissions = { publish: string[]; subscribe: string[] };

const JS_API = '$JS.API';

const streamActions = streams.flatMap(({ name }) =>
  ['INFO', 'CREATE', 'UPDATE'].map((action) => `${JS_API}.STREAM.${action}.${name}`),
);

/** A consumer of its own, with its own filter: naming another filter is another subject. */
function consumerActions(service: PublisherName): string[] {
  return consumersOf(service).flatMap(({ stream, config }) => {
    const path = `${stream}.${config.durable_name}`;
    const filter = config.filter_subject === undefined ? '' : `.${config.filter_subject}`;
    return [
      `${JS_API}.CONSUMER.INFO.${path}`,
      `${JS_API}.CONSUMER.CREATE.${path}${filter}`,
      `${JS_API}.CONSUMER.MSG.NEXT.${path}`,
      // The second form is that of servers which name domain and account.
      `$JS.ACK.${path}.>`,
      `$JS.ACK.*.*.${path}.>`,
    ];
  });
}

/** The ring subjects of a service: those of the consumers of its messages. A gateway passes on rings that came to the wrong gateway. */
function ringsOf(service: PublisherName): string[] {
  const rung = new Set<ConsumerName>(subjectsOfPublisher[service].map(consumerOfSubject));
  if (service === 'runner-gateway') rung.add(service);
  return [...rung].flatMap((consumer) => ringSubjectsOf[consumer]);
}

const heardRingsOf = (service: PublisherName): readonly string[] =>
  service in subjectsOfConsumer ? ringSubjectsOf[service as ConsumerName] : [];

/** The permissions of one service. An agent's child process has no user, and so none. */
export function natsPermissionsOf(service: PublisherName): NatsPermissions {
  const work = subjectsOfPublisher[service].map((subject) => busSubjectOf(subject));
  return {
    publish: [
      ...work,
      `${JS_API}.INFO`,
      ...streamActions,
      ...consumerActions(service),
      RELAY_BELL_SUBJECT,
      ...ringsOf(service),
      'attache.bell.log.*',
      ...(service === 'runner-gateway' ? [] : ['attache.events.*']),
      ...(service === 'ingest' ? [REQUEST_COUNTS_SUBJECT] : []),
      ...(service === 'runner-gateway' ? ['attache.delta.*', OWNERS_BELL_SUBJECT] : []),
    ],
    subscribe: [
      `${inboxPrefixOf(service)}.>`,
      RELAY_BELL_SUBJECT,
      ...heardRingsOf(service),
      ...(service === 'ingest'
        ? ['attache.bell.log.*', 'attache.delta.*', 'attache.events.*', REQUEST_COUNTS_SUBJECT]
        : []),
      ...(service === 'runner-gateway' ? [OWNERS_BELL_SUBJECT] : []),
    ],
  };
}
