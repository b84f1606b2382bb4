import { type Counter, type Histogram, type Meter, type MeterProvider, metrics } from '@opentelemetry/api';

// Every counter and histogram there is. Labels are routes, codes, states and subjects: our own words, never ids, names or tenants.

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A delivery waits for its agent, whose turn may take minutes. */
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800];

/** A model may think for minutes before its first word. */
const MODEL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

// The API has a placeholder for traces, but none for metrics: an instrument created before the SDK started would never count anything.
function lazily<T>(make: (meter: Meter) => T): () => T {
  let made: { by: MeterProvider; instrument: T } | undefined;
  return () => {
    const provider = metrics.getMeterProvider();
    if (made?.by !== provider) made = { by: provider, instrument: make(provider.getMeter('attache')) };
    return made.instrument;
  };
}

const counter = (name: string, description: string): (() => Counter) =>
  lazily((meter) => meter.createCounter(name, { description }));

const seconds = (name: string, description: string, explicitBucketBoundaries: number[]): (() => Histogram) =>
  lazily((meter) => meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } }));

export const instruments = {
  requestSeconds: seconds(
    'http.server.request.duration_seconds',
    'Time until the answer to a request began, by route template, method and class of status.',
    SECONDS,
  ),
  denials: counter('attache.authz.denials', 'Requests refused for want of a credential or a right, by code.'),
  rateLimited: counter('attache.rate.limited', 'Requests refused by a limit or a quota, by code.'),
  uploads: counter('attache.uploads', 'Uploads by outcome; refused ones by code.'),
  uploadReservations: counter('attache.upload.reservations', 'Uploads by the way in which their key was reserved.'),
  uploadBytes: counter('attache.upload.bytes', 'Bytes of accepted uploads.'),
  inspections: counter('attache.inspections', 'Inspected attachments by status and kind; rejected ones by code.'),
  messages: counter('attache.messages', 'Messages accepted, and messages blocked by each code.'),
  deliveries: counter('attache.deliveries', 'Deliveries that came to a status; failed ones by code.'),
  deliverySeconds: seconds(
    'att.delivery.duration_seconds',
    'From the acceptance of a message to the end of its delivery, first attempts only, by status.',
    DELIVERY_SECONDS,
  ),
  dispatchSeconds: seconds(
    'att.delivery.dispatch_seconds',
    'From the acceptance of a message to its last byte at its agent, first attempts only.',
    SECONDS,
  ),
  stageSeconds: seconds('att.stage.duration_seconds', 'Time that one stage of the way took, by stage.', SECONDS),
  agents: counter('attache.agents', 'Agents started, and agents stopped by reason.'),
  redeliveries: counter('attache.bus.redeliveries', 'Bus messages that came again, by subject.'),
  deadLetters: counter('attache.bus.dead.letters', 'Bus messages that were given up, by subject.'),
  rings: counter('attache.bus.rings', 'what became of rings: where they were sent, and where they were heard'),
  publishes: counter(
    'attache.relay.publishes',
    'Bus messages given to the broker by the relay, by subject and outcome.',
  ),
  modelRequests: counter('attache.model.requests', 'Requests of agents to their model API, by API, kind and outcome.'),
  modelRequestBytes: counter('attache.model.request.bytes', 'Bytes of bodies that agents sent to their model API.'),
  modelAnswerBytes: counter('attache.model.answer.bytes', 'Bytes of bodies that model APIs answered.'),
  modelTokens: counter('attache.model.tokens', 'Tokens that model APIs counted, by API and kind.'),
  wireItems: counter('attache.wire.items', 'Items of receipts that a request to a model has proven.'),
  modelResentBytes: counter('attache.model.resent.bytes', 'Bytes of requests that an earlier one had sent already.'),
  modelHeldRequests: counter(
    'attache.model.held.requests',
    'Requests that waited, since their key was limited, by API.',
  ),
  modelFirstByteSeconds: seconds(
    'att.model.first.byte_seconds',
    'From a request of an agent to the head of the answer of its model API, by API.',
    MODEL_SECONDS,
  ),
  takeovers: counter('attache.lease.takeovers', 'Sessions taken over from an owner that is gone.'),
  takeoverSeconds: seconds(
    'att.lease.takeover_seconds',
    'From the death of an owner, or the end of its lease, until another gateway took its session.',
    SECONDS,
  ),
  ownershipLost: counter(
    'attache.lease.lost',
    'Sessions that this gateway lost: to another one, or because its lease was about to end.',
  ),
  stripped: counter('attache.stripped', 'Inline media taken out of what agents said.'),
  strippedBytes: counter('attache.stripped.bytes', 'Bytes of inline media taken out of what agents said.'),
} as const;
