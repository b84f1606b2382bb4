import type { AttachmentId } from '@attache/contracts';
import { createAttachmentClient } from '../attachment-client.ts';
import { AttacheError } from '../errors/attache-error.ts';
import { describeFailedFetch, type Requester } from '../request/requester.ts';
import { uploadFile } from '../upload/upload-file.ts';
import type { UploadWay } from '../upload/upload-way.ts';
import { admitFiles } from './admit-files.ts';
import { createDescriber } from './describe-draft.ts';
import type { DraftSession } from './draft-session.ts';
import { beginDraft, type DraftAction, type DraftState, isActive, reduceDraft } from './draft-state.ts';
import type { Draft, DraftOptions } from './draft-types.ts';
import { createPolicyReader } from './read-policy.ts';
import { restoreItems } from './restore-items.ts';
import { createUploads } from './run-uploads.ts';
import { toImageContents } from './to-image-contents.ts';
import { createInspectionWatcher } from './watch-inspection.ts';

const CONCURRENCY = 3;

export type DraftDeps = { requester: Requester; ways: readonly UploadWay[]; session: DraftSession };

/** The files of a message that is not sent yet: uploads run as files are added, and a state machine says how far each is. */
export function createDraft(deps: DraftDeps, options: DraftOptions = {}): Draft {
  const { session, requester } = deps;
  const { concurrency = CONCURRENCY } = options;
  const listeners = new Set<() => void>();
  const describe = createDescriber();
  let state = beginDraft(Math.max(1, concurrency));
  let clears = 0;
  let rules: Pick<DraftOptions, 'supported' | 'to' | 'maxFiles'> = options;
  const attachmentOf = (id: string) => createAttachmentClient(requester, id);
  // A caller who may not delete leaves it to the end of the session.
  const discard = (id: AttachmentId) =>
    void attachmentOf(id)
      .delete()
      .catch(() => {});

  const dispatch = (action: DraftAction): void => {
    const before = state;
    state = reduceDraft(state, action);
    if (state === before) return;
    for (const listener of [...listeners]) listener();
    uploads.stopMissing(state);
    startQueued();
    if (listPending().length > 0) watcher.look();
  };
  const listPending = () => state.items.flatMap(({ stage }) => (stage.name === 'inspecting' ? stage.attachment : []));
  const reportOn = (id: AttachmentId, result: (key: string, attempt: number) => DraftAction) => {
    for (const { key, attempt, stage } of state.items)
      if (stage.name === 'inspecting' && stage.attachment.id === id) dispatch(result(key, attempt));
  };
  const watcher = createInspectionWatcher({
    ...{ session, attachmentOf, listPending },
    onInspected: (attachment) =>
      reportOn(attachment.id, (key, attempt) => ({ type: 'inspected', key, attempt, attachment })),
    onFailed: (id, { code, message, retryable }) =>
      reportOn(id as AttachmentId, (key, attempt) => ({
        ...{ type: 'failed', key, attempt, error: { code, message, retryable } },
      })),
  });
  const policies = createPolicyReader(
    session,
    () => rules.to,
    (policy) => dispatch({ type: 'policy-read', policy }),
  );
  const uploads = createUploads({
    ...{ dispatch, discard, reduceImages: options.reduceImages },
    readState: () => state,
    upload: (file, how) => uploadFile({ ...deps, sessionId: session.id, policy: state.policy }, file, how),
  });
  const startQueued = (): void => {
    const queued = state.items.find(({ stage }) => stage.name === 'queued');
    if (!queued || state.items.filter(isActive).length >= state.concurrency) return;
    dispatch({ type: 'begun', key: queued.key });
    uploads.start(queued.key);
  };
  const find = (key: string) => state.items.find((item) => item.key === key);
  const present = (all: DraftState) => all.items.filter((item) => item.generation === all.generation);

  return {
    getSnapshot: () => describe(state),
    changeRules(changed) {
      rules = changed;
      policies.restart();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async add(files, { source } = {}) {
      const given = [...files];
      const begun = clears;
      const [policy] = await Promise.all([policies.read()]);
      const { items, rejected } = await admitFiles(given, { ...rules, source, policy, readState: () => state });
      if (begun !== clears) return { rejected: [] };
      dispatch({ type: 'added', items });
      return { rejected };
    },
    remove(key) {
      const item = find(key);
      dispatch({ type: 'removed', key });
      const isTaken = item !== undefined && item.generation < state.generation;
      const stored = item && 'attachment' in item.stage ? item.stage.attachment : undefined;
      if (stored && !isTaken) discard(stored.id);
    },
    cancel(key) {
      const item = find(key);
      if (!item) return;
      const { code, message } = new AttacheError('REQUEST_ABORTED', 'The upload was cancelled.');
      dispatch({ type: 'failed', key, attempt: item.attempt, error: { code, message, retryable: true } });
    },
    retry: (key) => dispatch({ type: 'retried', key, idempotencyKey: crypto.randomUUID() }),
    clear() {
      clears += 1;
      dispatch({ type: 'cleared' });
    },
    async restore(attachmentIds) {
      const begun = clears;
      const { items, missing } = await restoreItems({ session, attachmentOf }, attachmentIds);
      if (begun === clears) dispatch({ type: 'added', items });
      return { missing };
    },
    toImageContents: () =>
      toImageContents(present(state), async (url) => {
        try {
          return await (await requester.fetch(url)).blob();
        } catch (cause) {
          throw describeFailedFetch(cause, undefined);
        }
      }),
    take() {
      const { generation } = state;
      const attachmentIds = [...describe(state).referenceIds];
      dispatch({ type: 'taken' });
      return { generation, attachmentIds };
    },
    settle(generation, outcome) {
      dispatch({ type: 'settled', generation, outcome });
      policies.renew();
    },
  };
}
