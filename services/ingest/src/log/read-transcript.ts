import type { MessageId, TranscriptEntry } from '@attache/contracts';
import { readEvents, readLoggedAttachments, readTextSizes, readTexts } from '@attache/database';
import { foldLog, listNames, type ReadEvent, readEvent } from '@attache/domain';
import type { IngestDeps } from '../ingest-deps.ts';

/** How many bytes of message texts one page holds, unless a single message has more. */
const PAGE_TEXT_BYTES = 4 * 1024 * 1024;

export type TranscriptQuery = {
  tenantId: string;
  sessionId: string;
  afterSeq: number;
  /** How many events are looked at, at most. */
  limit: number;
  /** Whether the reader may learn more of a file than its id and status. */
  describesFiles: boolean;
};

/** An event that was looked at, and its entry if it is shown. */
export type Looked = { seq: number; entry?: TranscriptEntry };

export type TranscriptPage = { looked: Looked[]; hasMore: boolean };

/** A page of the log, folded for people as its rows are now. Its size is bounded by its content and not by the activity of the session. */
export async function readTranscript(deps: Pick<IngestDeps, 'db'>, query: TranscriptQuery): Promise<TranscriptPage> {
  const { tenantId, sessionId, limit, describesFiles } = query;
  const events = await readEvents(deps.db, { tenantId, sessionId, afterSeq: query.afterSeq, limit: limit + 1 });
  const read = events.slice(0, limit).map((event) => ({ seq: event.seq, event: readEvent(event) }));
  const shown = read.flatMap(({ event }) => event ?? []);
  if (shown.length === 0) return { looked: read.map(({ seq }) => ({ seq })), hasMore: events.length > limit };
  return deps.db.readAsTenant(tenantId, async (tx) => {
    const sizes = await readTextSizes(tx, sessionId, listNames(shown).messageIds);
    const count = countFitting(read, sizes);
    const kept = read.slice(0, count);
    const names = listNames(kept.flatMap(({ event }) => event ?? []));
    const texts = await readTexts(tx, sessionId, names.messageIds);
    const attachments = await readLoggedAttachments(tx, names.attachmentIds);
    const records = {
      describesFiles,
      textOf: (id: MessageId) => texts.get(id),
      attachmentOf: (id: (typeof names.attachmentIds)[number]) => attachments.get(id),
    };
    const looked = kept.map(({ seq, event }): Looked => {
      const [entry] = event ? foldLog([event], records) : [];
      return entry ? { seq, entry } : { seq };
    });
    return { looked, hasMore: events.length > count };
  });
}

/** How many events, from the first, have texts that fit into a page: at least one. */
function countFitting(
  read: readonly { event: ReadEvent | undefined }[],
  sizes: ReadonlyMap<MessageId, number>,
): number {
  let sum = 0;
  const end = read.findIndex(({ event }, index) => {
    if (event?.kind === 'message.accepted') sum += sizes.get(event.data.messageId) ?? 0;
    return sum > PAGE_TEXT_BYTES && index > 0;
  });
  return end < 0 ? read.length : end;
}
