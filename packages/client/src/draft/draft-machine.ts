import type { AttachmentId, SessionPolicy } from '@attache/contracts';
import { type AttachmentClient, createAttachmentClient } from '../attachment-client.ts';
import type { Requester } from '../request/requester.ts';
import { uploadFile } from '../upload/upload-file.ts';
import type { UploadWay } from '../upload/upload-way.ts';
import type { DraftSession } from './draft-session.ts';
import { beginDraft, type DraftAction, type DraftState, type ItemState, isActive, reduceDraft } from './draft-state.ts';
import type { DraftOptions } from './draft-types.ts';
import { createUploads } from './run-uploads.ts';
import { createInspectionWatcher } from './watch-inspection.ts';

export type DraftDeps = { requester: Requester; ways: readonly UploadWay[]; session: DraftSession };

/** The state of a draft, and the work that follows from it: uploads and the look after inspections. */
export type DraftMachine = {
  readState(): DraftState;
  dispatch(action: DraftAction): void;
  subscribe(listener: () => void): () => void;
  attachmentOf(id: string): AttachmentClient;
  /** Deletes a stored file on the server, where that is allowed. */
  discard(id: AttachmentId): void;
};

export function createDraftMachine(
  deps: DraftDeps,
  { concurrency, reduceImages }: Pick<DraftOptions, 'reduceImages'> & { concurrency: number },
): DraftMachine {
  const { session, requester } = deps;
  const listeners = new Set<() => void>();
  let state = beginDraft(concurrency);
  const readState = () => state;
  const attachmentOf = (id: string) => createAttachmentClient(requester, id);
  const discard = (id: AttachmentId) => {
    // A caller who may not delete leaves it to the end of the session.
    attachmentOf(id)
      .delete()
      .catch(() => {});
  };
  const dispatch = (action: DraftAction): void => {
    const before = state;
    state = reduceDraft(state, action);
    if (state === before) return;
    for (const listener of [...listeners]) listener();
    uploads.stopMissing(state);
    // Before the next one is begun: files start in their order.
    if (action.type === 'begun') uploads.start(action.key);
    const next = findNext(state);
    if (next) dispatch({ type: 'begun', key: next.key });
    if (state.items.some(isPending)) watcher.look();
  };
  const uploads = createUploads({
    ...{ readState, dispatch, discard, reduceImages },
    upload: (file, options) => uploadFile(describeUpload(deps, state.policy), file, options),
  });
  const watcher = createInspectionWatcher({
    ...{ session, attachmentOf },
    listPending: () => state.items.flatMap(({ stage }) => (stage.name === 'inspecting' ? stage.attachment : [])),
    onInspected(attachment) {
      for (const { key, attempt } of state.items.filter(({ storedId }) => storedId === attachment.id))
        dispatch({ type: 'inspected', key, attempt, attachment });
    },
    onFailed(id, { code, message, retryable }) {
      for (const { key, attempt } of state.items.filter((item) => item.storedId === id && isPending(item)))
        dispatch({ type: 'failed', key, attempt, error: { code, message, retryable } });
    },
  });
  return {
    ...{ readState, dispatch, attachmentOf, discard },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const isPending = ({ stage }: ItemState): boolean => stage.name === 'inspecting';

function findNext({ items, concurrency }: DraftState): ItemState | undefined {
  if (items.filter(isActive).length >= concurrency) return undefined;
  return items.find(({ stage }) => stage.name === 'queued');
}

const describeUpload = ({ session, ...deps }: DraftDeps, policy: SessionPolicy | undefined) => ({
  ...{ ...deps, policy, sessionId: session.id },
});
