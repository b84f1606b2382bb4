import { insertOutboxMessage } from '@attache/database';
import type { EventBus } from '../event-bus.ts';
import { startConsumer } from './consume.ts';
import type { JetstreamBusOptions } from './consumer-options.ts';
import { createSettle } from './settle.ts';

/** The hosted bus: what is in the outbox comes from NATS JetStream, to which the relays of all processes bring it. */
export function createJetstreamEventBus(options: JetstreamBusOptions): EventBus {
  const settle = createSettle(options);
  return {
    publish: (message) => insertOutboxMessage(options.db, message),
    consume: (consume) => startConsumer({ ...options, settle, consume }),
    async checkReady() {
      await Promise.all([options.link.checkReady(), options.db.checkReady()]);
    },
  };
}
