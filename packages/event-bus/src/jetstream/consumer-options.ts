import type { Database } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import type { Doorbells } from '../doorbells.ts';
import type { ConsumeOptions } from '../event-bus.ts';
import type { JetstreamLink } from './link.ts';
import type { Rings } from './ring/rings.ts';
import type { Settle } from './settle.ts';

export type JetstreamBusOptions = {
  link: JetstreamLink;
  db: Database;
  doorbells: Doorbells;
  log: Logger;
  /** How long one handling may take; afterwards the message comes again. */
  leaseMs?: number | undefined;
  /** The same as the topology's. */
  ackWaitMs?: number | undefined;
  /** The source of messages that bypass the broker. */
  rings?: Rings | undefined;
};

export type ConsumerOptions = JetstreamBusOptions & { settle: Settle; consume: ConsumeOptions };
