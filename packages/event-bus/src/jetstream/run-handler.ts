import type { BusMessage } from '@attache/contracts';
import type { Database } from '@attache/database';
import { currentTrace, runInSpan, startSpan, type TraceCarrier } from '@attache/telemetry';
import type { ConsumeOptions, Settlement } from '../event-bus.ts';
import { settleThrown } from '../outbox/settle.ts';
import type { Delivered } from './envelope.ts';

/** A span of its own for the receipt, to which the handling can link. */
function traceReceipt({ subject, id, trace, attempt }: Delivered): TraceCarrier | undefined {
  const span = startSpan({
    name: `receive ${subject}`,
    kind: 'client',
    parent: 'root',
    links: [trace],
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.type': 'receive',
      'messaging.destination.name': subject,
      'messaging.message.id': id,
      'messaging.batch.message_count': 1,
      'attache.attempt': attempt,
    },
  });
  const receivedIn = runInSpan(span, currentTrace);
  span.end();
  return receivedIn;
}

/** Runs the handler; what it throws is settled by the edge map. */
export async function runHandler(
  { db, consume }: { db: Database; consume: ConsumeOptions },
  delivered: Delivered,
): Promise<Settlement> {
  const receivedIn = traceReceipt(delivered);
  if (!delivered.message) return { as: 'term', reason: 'data does not fit the subject' };
  const message: BusMessage = receivedIn ? { ...delivered.message, receivedIn } : delivered.message;
  try {
    return await consume.handle(message, delivered.head);
  } catch (error) {
    return settleThrown(error, delivered.attempt, {
      checkDatabase: () => db.checkReady(),
      checkStore: consume.checkStore,
    });
  }
}
