import type { Attributes } from '@opentelemetry/api';

/** Attributes of the span in which a consumer processes a bus message. */
export function describeProcess(
  message: { id: string; subject: string; attempt: number },
  consumer: string,
): Attributes {
  return {
    'messaging.operation.type': 'process',
    'messaging.destination.name': message.subject,
    'messaging.message.id': message.id,
    'messaging.consumer.group.name': consumer,
    'attache.attempt': message.attempt,
  };
}
