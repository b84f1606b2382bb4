import { isAttacheError } from '../errors/attache-error.ts';
import { createIdempotencyKey } from '../request/idempotency-key.ts';
import type { Requester } from '../request/requester.ts';
import { describeFailedFetch } from '../request/requester.ts';
import { admitFiles } from './admit-files.ts';
import { createDescriber } from './describe-draft.ts';
import { createDraftMachine, type DraftDeps, type DraftMachine } from './draft-machine.ts';
import { type DraftState, isTaken } from './draft-state.ts';
import type { Draft, DraftOptions } from './draft-types.ts';
import { createPolicyReader } from './read-policy.ts';
import { restoreItems } from './restore-items.ts';
import { toImageContents } from './to-image-contents.ts';

const CONCURRENCY = 3;

/** The files of a message that is not sent yet: uploads run as files are added, and a state machine says how far each is. */
export function createDraft(deps: DraftDeps, options: DraftOptions = {}): Draft {
  const { session, requester } = deps;
  const concurrency = Math.max(1, options.concurrency ?? CONCURRENCY);
  const machine = createDraftMachine(deps, { ...options, concurrency });
  const { readState, dispatch, attachmentOf } = machine;
  let rules: Pick<DraftOptions, 'supported' | 'to' | 'maxFiles'> = options;
  const policies = createPolicyReader(
    session,
    () => rules.to,
    (policy) => dispatch({ type: 'policy-read', policy }),
  );
  const describe = createDescriber();
  let clears = 0;
  return {
    getSnapshot: () => describe(readState()),
    subscribe: machine.subscribe,
    changeRules(changed) {
      const isOther = changed.to?.join() !== rules.to?.join();
      rules = changed;
      if (isOther) policies.forget();
    },
    async add(files, { source } = {}) {
      const given = [...files];
      const begun = clears;
      const policy = await policies.read();
      const { items, rejected } = await admitFiles(given, { ...rules, source, policy, readState });
      // The draft that they were meant for is gone.
      if (begun !== clears) return { rejected: [] };
      dispatch({ type: 'added', items });
      return { rejected };
    },
    ...createItemCalls(machine),
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
    recheck: () => recheck(machine),
    toImageContents: () => toImageContents(presentItems(readState()), (url) => fetchBytes(requester, url)),
    take() {
      const { generation, referenceIds } = describe(readState());
      dispatch({ type: 'taken' });
      return { generation, attachmentIds: [...referenceIds] };
    },
    settle(generation, outcome) {
      dispatch({ type: 'settled', generation, outcome });
      policies.renew();
    },
  };
}

function createItemCalls({ readState, dispatch, discard }: DraftMachine): Pick<Draft, 'remove' | 'cancel' | 'retry'> {
  const find = (key: string) => readState().items.find((item) => item.key === key);
  return {
    remove(key) {
      const item = find(key);
      if (!item) return;
      const isBeingSent = isTaken(readState(), item);
      dispatch({ type: 'removed', key });
      if (item.storedId && !isBeingSent) discard(item.storedId);
    },
    cancel(key) {
      const { attempt } = find(key) ?? {};
      const error = { code: 'REQUEST_ABORTED', message: 'The upload was cancelled. Try it again, or remove the file.' };
      if (attempt !== undefined) dispatch({ type: 'failed', key, attempt, error: { ...error, retryable: true } });
    },
    retry(key) {
      const { stage, storedId } = find(key) ?? {};
      if (stage?.name === 'failed' && stage.isRejected && storedId) discard(storedId);
      dispatch({ type: 'retried', key, idempotencyKey: createIdempotencyKey() });
    },
  };
}

async function recheck({ readState, dispatch, attachmentOf }: DraftMachine): Promise<void> {
  const stored = presentItems(readState()).filter(({ stage }) => stage.name === 'ready');
  await Promise.all(
    stored.map(async ({ key, attempt, file, storedId }) => {
      try {
        await attachmentOf(String(storedId)).read();
      } catch (error) {
        if (!isAttacheError(error, 'ATTACHMENT_NOT_FOUND')) return;
        const { code, message } = error;
        dispatch({ type: 'lost', key, attempt, error: { code, message, retryable: file !== undefined } });
      }
    }),
  );
}

const presentItems = (state: DraftState) => state.items.filter((item) => !isTaken(state, item));

async function fetchBytes(requester: Requester, url: string): Promise<Blob> {
  try {
    return await (await requester.fetch(url)).blob();
  } catch (cause) {
    throw describeFailedFetch(cause, undefined);
  }
}
