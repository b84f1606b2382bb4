import type { IngestDeps } from '../ingest-deps.ts';
import { BATCH, type SentEvent } from './log-tail.ts';
import { readTranscript, type TranscriptQuery } from './read-transcript.ts';
import type { SessionFeeds } from './session-feeds.ts';

/**
 * The same fold for one who follows. Unlike the log's feeds it is not shared: the rows next to the log change, and kept facts of a
 * file could be sent after its deletion. Tokens are not sent: a transcript holds finished items.
 */
export function createTranscriptFeeds(
  deps: Pick<IngestDeps, 'db' | 'doorbells'>,
  { describesFiles }: Pick<TranscriptQuery, 'describesFiles'>,
): SessionFeeds {
  return {
    join(place, follower) {
      let rings = 0;
      let seenRings = -1;
      const leave = deps.doorbells.listen(`log:${place.sessionId}`, () => {
        rings += 1;
        follower.onNews();
      });
      return {
        async readAfter(afterSeq) {
          if (seenRings === rings) return [];
          // Before it reads, so that a ring in between is not lost.
          const before = rings;
          const page = await readTranscript(deps, { ...place, afterSeq, limit: BATCH, describesFiles });
          if (!page.hasMore) seenRings = before;
          return page.looked.map(formatLooked);
        },
        lookAgain() {
          seenRings = -1;
        },
        leave,
      };
    },
  };
}

/** An event that is not shown takes its place in the order, and no byte. */
function formatLooked({ seq, entry }: Awaited<ReturnType<typeof readTranscript>>['looked'][number]): SentEvent {
  return { seq, text: entry ? `id: ${seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n` : '' };
}
