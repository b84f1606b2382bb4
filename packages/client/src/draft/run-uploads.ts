import type { AttachmentId } from '@attache/contracts';
import type { UploadAnswer } from '../answers.ts';
import { isAttacheError } from '../errors/attache-error.ts';
import type { UploadOptions } from '../upload/upload-way.ts';
import type { DraftAction, DraftState, ItemState } from './draft-state.ts';
import type { DraftError, ReduceImage } from './draft-types.ts';

type UploadDeps = {
  readState(): DraftState;
  dispatch(action: DraftAction): void;
  upload(file: Blob, options: UploadOptions): Promise<UploadAnswer>;
  /** Deletes a stored file that no item is for any more. */
  discard(id: AttachmentId): void;
  reduceImages: ReduceImage | undefined;
};

export type Uploads = {
  start(key: string): void;
  /** Ends the uploads whose items are gone, cancelled or begun again. */
  stopMissing(state: DraftState): void;
};

/** Runs the uploads of a draft, and reports what becomes of them. */
export function createUploads(deps: UploadDeps): Uploads {
  const running = new Map<string, { attempt: number; controller: AbortController }>();
  return {
    start(key) {
      const item = deps.readState().items.find((each) => each.key === key);
      if (item?.stage.name !== 'reducing') return;
      const controller = new AbortController();
      const mine = { attempt: item.attempt, controller };
      running.set(key, mine);
      void run(deps, item, controller.signal).finally(() => {
        if (running.get(key) === mine) running.delete(key);
      });
    },
    stopMissing(state) {
      for (const [key, { attempt, controller }] of running) {
        const item = state.items.find((each) => each.key === key);
        if (!item || item.attempt !== attempt || item.stage.name === 'failed') controller.abort();
      }
    },
  };
}

async function run(deps: UploadDeps, item: ItemState, signal: AbortSignal): Promise<void> {
  const { key, attempt, name, source, idempotencyKey } = item;
  const report = (result: { type: 'waiting' } | { type: 'progressed'; sentBytes: number }) =>
    deps.dispatch({ ...result, key, attempt });
  try {
    const body = await reduce(deps, item, signal);
    deps.dispatch({ type: 'sending', key, attempt, body });
    if (signal.aborted) return;
    const { attachment, displayUrl } = await deps.upload(withType(body, item), {
      ...{ name, source, idempotencyKey, signal },
      onProgress: ({ sentBytes }) => report({ type: 'progressed', sentBytes }),
      onWait: () => report({ type: 'waiting' }),
    });
    // It was removed in the moment in which the server had it all.
    if (!deps.readState().items.some((each) => each.key === key)) return deps.discard(attachment.id);
    deps.dispatch({ type: 'stored', key, attempt, attachment, displayUrl });
  } catch (error) {
    deps.dispatch({ type: 'failed', key, attempt, error: describeError(error) });
  }
}

/** A retry finds the smaller image that the first attempt made. */
async function reduce({ reduceImages }: UploadDeps, item: ItemState, signal: AbortSignal): Promise<Blob> {
  const { file, body, kind } = item;
  const bytes = body ?? file ?? new Blob([]);
  if (!reduceImages || kind !== 'image' || body !== file) return bytes;
  try {
    return await reduceImages(bytes, { signal });
  } catch {
    return bytes;
  }
}

/** Browsers leave the type of some files empty. */
const withType = (body: Blob, { mimeType }: ItemState): Blob =>
  body.type === '' && mimeType !== '' ? body.slice(0, body.size, mimeType) : body;

function describeError(error: unknown): DraftError {
  if (!isAttacheError(error)) return { code: 'INTERNAL', message: String(error), retryable: true };
  const { code, message, retryable } = error;
  return { code, message, retryable };
}
