import type { Attachment, AttachmentId, AttachmentKind, AttachmentSource, SessionPolicy } from '@attache/contracts';
import type { DraftError } from './draft-types.ts';

/** How far a file is. Only what the server says makes it `ready`. */
export type Stage =
  | { name: 'queued' | 'reducing' }
  | { name: 'sending' | 'waiting'; sentBytes: number }
  | { name: 'inspecting' | 'ready'; attachment: Attachment; displayUrl: string | undefined }
  | { name: 'failed'; error: DraftError; isRejected: boolean };

export type ItemState = {
  readonly key: string;
  readonly generation: number;
  /** Counts the uploads of the item; the result of an earlier one changes nothing. */
  readonly attempt: number;
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly kind: AttachmentKind;
  readonly source: AttachmentSource | undefined;
  /** The local file; undefined for one that was restored from the server. */
  readonly file: Blob | undefined;
  /** The bytes that are sent: the file, or a smaller image made of it. */
  readonly body: Blob | undefined;
  readonly idempotencyKey: string;
  /** Set once the server has the bytes, whatever became of them. */
  readonly storedId: AttachmentId | undefined;
  readonly stage: Stage;
};

export type DraftState = {
  readonly generation: number;
  readonly concurrency: number;
  readonly items: readonly ItemState[];
  readonly policy: SessionPolicy | undefined;
};

export type NewItem = Omit<ItemState, 'generation' | 'attempt'>;

type Result =
  | { type: 'sending'; body: Blob }
  | { type: 'progressed'; sentBytes: number }
  | { type: 'waiting' }
  | { type: 'stored'; attachment: Attachment; displayUrl: string | undefined }
  | { type: 'inspected'; attachment: Attachment }
  | { type: 'lost'; error: DraftError }
  | { type: 'failed'; error: DraftError };

/** The report of an upload, with the item and attempt that it belongs to. */
export type ResultAction = Result & { key: string; attempt: number };

export type DraftAction =
  | ResultAction
  | { type: 'added'; items: readonly NewItem[] }
  | { type: 'begun'; key: string }
  | { type: 'removed'; key: string }
  | { type: 'retried'; key: string; idempotencyKey: string }
  | { type: 'cleared' }
  | { type: 'taken' }
  | { type: 'settled'; generation: number; outcome: 'sent' | 'failed' }
  | { type: 'policy-read'; policy: SessionPolicy };

export function beginDraft(concurrency: number): DraftState {
  return { generation: 1, concurrency, items: [], policy: undefined };
}

const active = new Set<Stage['name']>(['reducing', 'sending', 'waiting']);
export const isActive = ({ stage }: ItemState): boolean => active.has(stage.name);
export const isUploading = ({ stage }: ItemState): boolean => stage.name !== 'ready' && stage.name !== 'failed';

/** The next state; the same object where the action changes nothing. */
export function reduceDraft(state: DraftState, action: DraftAction): DraftState {
  switch (action.type) {
    case 'added': {
      const items = action.items.map((item) => ({ ...item, generation: state.generation, attempt: 1 }));
      return items.length === 0 ? state : { ...state, items: [...state.items, ...items] };
    }
    case 'begun':
      return begin(state, action.key);
    case 'removed':
      return keepItems(state, (item) => item.key !== action.key);
    case 'retried':
      return changeItem(state, action.key, (item) => retryItem(item, action.idempotencyKey));
    case 'cleared':
      return { ...state, generation: state.generation + 1, items: state.items.filter((item) => isTaken(state, item)) };
    case 'taken':
      return take(state);
    case 'settled':
      return settle(state, action.generation, action.outcome);
    case 'policy-read':
      return { ...state, policy: action.policy };
    default:
      return changeItem(state, action.key, (item) =>
        item.attempt === action.attempt ? applyResult(item, action) : item,
      );
  }
}

/** Whether a message with the item is being sent. */
export const isTaken = (state: DraftState, item: ItemState): boolean => item.generation < state.generation;

function begin(state: DraftState, key: string): DraftState {
  if (state.items.filter(isActive).length >= state.concurrency) return state;
  return changeItem(state, key, (item) =>
    item.stage.name === 'queued' ? { ...item, stage: { name: 'reducing' } } : item,
  );
}

function retryItem(item: ItemState, idempotencyKey: string): ItemState {
  const { stage, file } = item;
  if (stage.name !== 'failed' || file === undefined) return item;
  const next: ItemState = { ...item, attempt: item.attempt + 1, stage: { name: 'queued' } };
  // A rejected file is uploaded again as another; any other one under the key that the server may know already.
  return stage.isRejected ? { ...next, idempotencyKey, storedId: undefined } : next;
}

/** Files that are not ready stay in the draft: they belong to the next message. */
function take(state: DraftState): DraftState {
  const generation = state.generation + 1;
  const items = state.items.map((item) =>
    isTaken(state, item) || item.stage.name === 'ready' ? item : { ...item, generation },
  );
  return { ...state, generation, items };
}

function settle(state: DraftState, generation: number, outcome: 'sent' | 'failed'): DraftState {
  const isMeant = (item: ItemState) => item.generation === generation && isTaken(state, item);
  if (outcome === 'sent') return keepItems(state, (item) => !isMeant(item));
  if (!state.items.some(isMeant)) return state;
  const items = state.items.map((item) => (isMeant(item) ? { ...item, generation: state.generation } : item));
  return { ...state, items };
}

function applyResult(item: ItemState, result: ResultAction): ItemState {
  const stage = nextStage(item, result);
  const body = result.type === 'sending' && item.stage.name === 'reducing' ? result.body : item.body;
  if (stage === item.stage) return item;
  const { attachment } = 'attachment' in result ? result : {};
  if (!attachment) return { ...item, body, stage };
  const { id: storedId, kind, mimeType, name } = attachment;
  return { ...item, ...{ storedId, kind, mimeType, name }, stage };
}

/** An upload moves forward alone: what comes too late, or out of its order, changes nothing. */
function nextStage({ stage, body }: ItemState, result: ResultAction): Stage {
  const isSending = stage.name === 'sending' || stage.name === 'waiting';
  switch (result.type) {
    case 'sending':
      return stage.name === 'reducing' ? { name: 'sending', sentBytes: 0 } : stage;
    case 'progressed':
      return isSending && isShown(stage, result.sentBytes, body?.size ?? 0)
        ? { name: 'sending', sentBytes: result.sentBytes }
        : stage;
    case 'waiting':
      return stage.name === 'sending' ? { name: 'waiting', sentBytes: stage.sentBytes } : stage;
    case 'stored':
      return isSending ? judge(result.attachment, result.displayUrl) : stage;
    case 'inspected':
      return stage.name === 'inspecting' ? judge(result.attachment, stage.displayUrl, stage) : stage;
    case 'lost':
      // It is uploaded again as another file.
      return stage.name === 'ready' ? { name: 'failed', error: result.error, isRejected: true } : stage;
    case 'failed':
      return stage.name === 'ready' || stage.name === 'failed'
        ? stage
        : { name: 'failed', error: result.error, isRejected: false };
  }
}

/** Less than a hundredth more is no news. */
function isShown(stage: Stage & { name: 'sending' | 'waiting' }, sentBytes: number, totalBytes: number): boolean {
  const hundredthOf = (bytes: number) => Math.floor((bytes * 100) / Math.max(1, totalBytes));
  return stage.name === 'waiting' || hundredthOf(sentBytes) !== hundredthOf(stage.sentBytes);
}

/** The stage of a file that the server has, by its own word. */
export function judge(attachment: Attachment, displayUrl: string | undefined, present?: Stage): Stage {
  const { status, failure } = attachment;
  if (status === 'ready') return { name: 'ready', attachment, displayUrl };
  if (status === 'pending') return present ?? { name: 'inspecting', attachment, displayUrl };
  const message = failure?.userMessage ?? 'The file did not pass inspection. Remove it, or choose another one.';
  const error = { code: failure?.code ?? 'attachment_rejected', message, retryable: failure?.retryable ?? false };
  return { name: 'failed', isRejected: true, error: { ...error, ...(failure && { failure }) } };
}

function changeItem(state: DraftState, key: string, change: (item: ItemState) => ItemState): DraftState {
  let isChanged = false;
  const items = state.items.map((item) => {
    const changed = item.key === key ? change(item) : item;
    isChanged ||= changed !== item;
    return changed;
  });
  return isChanged ? { ...state, items } : state;
}

function keepItems(state: DraftState, isKept: (item: ItemState) => boolean): DraftState {
  const items = state.items.filter(isKept);
  return items.length === state.items.length ? state : { ...state, items };
}
