import type { Msg } from '@nats-io/nats-core';

/** The replies of a consumer to the broker about a message. */
export const words = {
  ack: '+ACK',
  working: '+WPI',
  /** Bring it again, after so many milliseconds. */
  nak: (delayMs: number) => (delayMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.ceil(delayMs * 1e6) })}` : '-NAK'),
  term: (reason: string) => `+TERM ${reason.replace(/[^\x20-\x7e]/g, ' ').slice(0, 200)}`,
};

/** Says it. A word that does not arrive costs time: the broker brings the message again. */
export function tell(message: Pick<Msg, 'respond'>, word: string): void {
  try {
    message.respond(word);
  } catch {
    // The connection is closed.
  }
}
