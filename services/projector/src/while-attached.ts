import { type Database, hasAttachment } from '@attache/database';
import type { MediaPool } from '@attache/media';

const LOOK_MS = 1_000;

type Watched = { db: Database; media: MediaPool };
type Place = { tenantId: string; attachmentId: string };

/**
 * Runs work on one attachment until that is deleted (DL-81): then what its workers do is given up, what they made is dropped, and the
 * answer is `gone`. Work that is done within a second is never looked after.
 */
export async function whileAttached<D extends Watched, T>(
  deps: D,
  place: Place,
  work: (watched: D) => Promise<T>,
): Promise<{ status: 'done'; result: T } | { status: 'gone' }> {
  const deleted = new AbortController();
  const stop = watch(deps.db, place, () => deleted.abort(new Error('the attachment was deleted')));
  try {
    return { status: 'done', result: await work({ ...deps, media: endWith(deps.media, deleted.signal) }) };
  } catch (error) {
    if (error === deleted.signal.reason) return { status: 'gone' };
    throw error;
  } finally {
    stop();
  }
}

/** A database that does not answer says nothing of the attachment: it is asked again. */
function watch(db: Database, { tenantId, attachmentId }: Place, onDeleted: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async () => {
    const isThere = await db.readAsTenant(tenantId, (tx) => hasAttachment(tx, attachmentId)).catch(() => true);
    if (isOver) return;
    if (isThere) timer = setTimeout(look, LOOK_MS);
    else onDeleted();
  };
  timer = setTimeout(look, LOOK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** The same pool; a job whose end comes too late counts as given up. */
function endWith(media: MediaPool, signal: AbortSignal): MediaPool {
  const unlessGone = <T>(outcome: T): T => {
    signal.throwIfAborted();
    return outcome;
  };
  return {
    inspect: async (job) => unlessGone(await media.inspect({ ...job, signal })),
    makeVariant: async (job) => unlessGone(await media.makeVariant({ ...job, signal })),
    [Symbol.asyncDispose]: () => media[Symbol.asyncDispose](),
  };
}
