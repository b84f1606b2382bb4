import type { Attachment } from '@attache/contracts';
import type { AttachmentClient } from '../attachment-client.ts';
import { AttacheError, isAttacheError } from '../errors/attache-error.ts';
import { pause } from '../request/pause.ts';
import type { DraftSession } from './draft-session.ts';

const FIRST_LOOK_MS = 150;
const MOST_BETWEEN_LOOKS_MS = 2_000;
const LOOKS_TOGETHER = 6;

type Watched = {
  session: Pick<DraftSession, 'events'>;
  attachmentOf(id: string): AttachmentClient;
  /** The attachments that the server inspects just now. */
  listPending(): readonly Attachment[];
  onInspected(attachment: Attachment): void;
  onFailed(attachmentId: string, error: AttacheError): void;
};

/** Looks after pending attachments until none is left: reads them in turn, or follows the log where the caller may not read them. */
export function createInspectionWatcher(watched: Watched): { look(): void } {
  let isLooking = false;
  const watch = async () => {
    isLooking = true;
    try {
      if ((await readInTurn(watched)) === 'forbidden') await followLog(watched);
    } catch (error) {
      for (const { id } of watched.listPending()) watched.onFailed(id, describe(error));
    } finally {
      isLooking = false;
    }
    if (watched.listPending().length > 0) void watch();
  };
  return {
    look() {
      if (!isLooking) void watch();
    },
  };
}

function describe(error: unknown): AttacheError {
  if (isAttacheError(error)) return error;
  return new AttacheError('NETWORK_FAILED', 'The file was sent; whether it is ready could not be read. Try it again.', {
    ...{ retryable: true, cause: error },
  });
}

async function readInTurn(watched: Watched): Promise<'done' | 'forbidden'> {
  let delayMs = FIRST_LOOK_MS;
  let turn = 0;
  for (;;) {
    await pause(delayMs);
    const pending = watched.listPending();
    if (pending.length === 0) return 'done';
    turn = (turn + LOOKS_TOGETHER) % Math.max(1, pending.length);
    // One that takes long does not keep the others from being looked at.
    const batch =
      pending.length <= LOOKS_TOGETHER ? pending : [...pending, ...pending].slice(turn, turn + LOOKS_TOGETHER);
    const looks = await Promise.all(batch.map((attachment) => lookAt(watched, attachment)));
    if (looks.includes('forbidden')) return 'forbidden';
    delayMs = looks.includes('pending') ? Math.min(delayMs * 1.6, MOST_BETWEEN_LOOKS_MS) : 0;
  }
}

async function lookAt(watched: Watched, { id }: Attachment): Promise<'settled' | 'pending' | 'forbidden'> {
  try {
    const attachment = await watched.attachmentOf(id).read();
    if (attachment.status === 'pending') return 'pending';
    watched.onInspected(attachment);
    return 'settled';
  } catch (error) {
    if (isAttacheError(error, 'FORBIDDEN')) return 'forbidden';
    watched.onFailed(id, describe(error));
    return 'settled';
  }
}

/** A caller with `events:read` alone learns from the log what became of its files. */
async function followLog({ session, listPending, onInspected }: Watched): Promise<void> {
  for await (const event of session.events()) {
    const isAbout = event.kind === 'attachment.ready' || event.kind === 'attachment.rejected';
    const attachment = isAbout && listPending().find(({ id }) => id === event.data.attachmentId);
    if (attachment && event.kind === 'attachment.ready') {
      const { kind, mimeType, facts } = event.data;
      onInspected({ ...attachment, kind, mimeType, facts, status: 'ready' });
    }
    if (attachment && event.kind === 'attachment.rejected')
      onInspected({ ...attachment, status: 'rejected', failure: event.data.failure });
    if (listPending().length === 0) return;
  }
}
