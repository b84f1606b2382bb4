import type { IngestSettings } from '../../ingest-deps.ts';
import type { IngestBounds, StreamLimits } from '../../ingest-limits.ts';
import { createOpenCounter, type OpenCounter, type OpenLimits } from './open-counter.ts';

const defaultStreamLimits: StreamLimits = { perKey: 1_000, perTenant: 2_000 };
const defaultBounds: IngestBounds = { connections: 10_000, uploads: 4_096 };

/** One tenant's part of what a process can have open. */
const TENANT_SHARE = 1 / 4;
/** The most of it that one tenant gets by settings. */
const MOST_SHARE = 0.8;
/** Requests that one may have besides its streams. */
const BESIDE_STREAMS = 256;

/** Counts what callers have open at this process: event streams, uploads under way, and requests of all sorts. */
export type OpenCounters = { streams: OpenCounter; uploads: OpenCounter; requests: OpenCounter };

export const boundsOf = ({ bounds = defaultBounds }: Pick<IngestSettings, 'bounds'>): IngestBounds => bounds;

export function createOpenCounters(settings: Pick<IngestSettings, 'bounds' | 'streamLimits'>): OpenCounters {
  const { streamLimits = defaultStreamLimits } = settings;
  const { connections, uploads } = boundsOf(settings);
  return {
    streams: createOpenCounter(streamLimits, {
      tooMany: 'follows too many sessions',
      todo: 'Close streams that nobody reads, or read pages of events.',
    }),
    uploads: createOpenCounter(shareOut(uploads), {
      tooMany: 'has too many uploads under way',
      todo: 'Wait for some to end, then send the next ones.',
    }),
    requests: createOpenCounter(shareRequests(connections, streamLimits), {
      tooMany: 'has too many requests under way',
      todo: 'Wait for answers, then send the next ones.',
    }),
  };
}

const shareOut = (all: number): Required<OpenLimits> => ({
  perKey: Math.ceil((all * TENANT_SHARE) / 2),
  perTenant: Math.ceil(all * TENANT_SHARE),
  all,
});

/** An event stream is a request: who may have more streams has more requests, as long as others keep room. */
function shareRequests(connections: number, { perKey, perTenant }: StreamLimits): OpenLimits {
  const most = Math.floor(connections * MOST_SHARE);
  const shared = shareOut(connections);
  const withStreams = (share: number, streams: number) =>
    Math.min(most, streams === 0 ? most : Math.max(share, streams + BESIDE_STREAMS));
  return { perKey: withStreams(shared.perKey, perKey), perTenant: withStreams(shared.perTenant, perTenant) };
}
