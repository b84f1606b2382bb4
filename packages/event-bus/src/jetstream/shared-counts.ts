import { REQUEST_COUNTS_SUBJECT } from '@attache/contracts';
import { parseCounts, type SharedCounts } from '../shared-counts.ts';
import type { JetstreamLink } from './link.ts';

/** Counts of requests among the processes of ingest, over core NATS. */
export function createNatsCounts(link: JetstreamLink): SharedCounts {
  const { nc, log } = link;
  const isConnected = () => link.isConnected() && !nc.isClosed() && !nc.isDraining();
  return {
    isConnected,
    send(counts) {
      if (isConnected()) nc.publish(REQUEST_COUNTS_SUBJECT, JSON.stringify(counts));
    },
    listen(onCounts) {
      const subscription = nc.subscribe(REQUEST_COUNTS_SUBJECT, {
        callback(error, { data }) {
          const counts = error ? undefined : parseCounts(data);
          if (counts) onCounts(counts);
          else if (!error) log.warn('counts.refused');
        },
      });
      return () => {
        if (!nc.isClosed()) subscription.unsubscribe();
      };
    },
  };
}
