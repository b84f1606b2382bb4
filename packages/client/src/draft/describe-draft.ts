import { type DraftState, type ItemState, isUploading } from './draft-state.ts';
import type { DraftItem, DraftSnapshot } from './draft-types.ts';

/** As much of the bar as bytes can fill before the server says that the file is ready. */
const MOST_OF_BAR = 0.99;

/** Describes states as snapshots. The same state gives the same snapshot, and an item that did not change the same item. */
export function createDescriber(): (state: DraftState) => DraftSnapshot {
  const items = new WeakMap<ItemState, DraftItem>();
  const snapshots = new WeakMap<DraftState, DraftSnapshot>();
  const describe = (state: ItemState): DraftItem => {
    const item = items.get(state) ?? describeItem(state);
    items.set(state, item);
    return item;
  };
  return (state) => {
    const known = snapshots.get(state);
    if (known) return known;
    const snapshot = describeDraft(state, describe);
    snapshots.set(state, snapshot);
    return snapshot;
  };
}

function describeDraft(state: DraftState, describe: (item: ItemState) => DraftItem): DraftSnapshot {
  const present = state.items.filter((item) => item.generation === state.generation);
  return Object.freeze({
    generation: state.generation,
    items: Object.freeze(state.items.map(describe)),
    referenceIds: Object.freeze(present.flatMap(({ stage }) => (stage.name === 'ready' ? stage.attachment.id : []))),
    isBusy: present.some(isUploading),
    ...(state.policy && { policy: state.policy }),
  });
}

function describeItem({ stage, ...state }: ItemState): DraftItem {
  const { key, generation, name, mimeType, sizeBytes, kind, file, body } = state;
  const totalBytes = body?.size ?? sizeBytes;
  const isImage = file !== undefined && (kind === 'image' || file.type.startsWith('image/'));
  return Object.freeze({
    ...{ key, generation, name, mimeType, sizeBytes, kind, totalBytes },
    ...describeStage(stage, totalBytes),
    ...(isImage && { previewFile: file }),
  });
}

function describeStage(
  stage: ItemState['stage'],
  totalBytes: number,
): Pick<DraftItem, 'status' | 'sentBytes'> & Partial<DraftItem> {
  const mostBytes = Math.floor(totalBytes * MOST_OF_BAR);
  switch (stage.name) {
    case 'ready': {
      const { attachment, displayUrl } = stage;
      const url = displayUrl === undefined ? {} : { displayUrl };
      return { status: 'ready', sentBytes: totalBytes, attachment, id: attachment.id, ...url };
    }
    case 'failed':
      return { status: 'error', sentBytes: 0, error: stage.error };
    case 'inspecting':
      return { status: 'uploading', phase: 'inspecting', sentBytes: mostBytes };
    case 'sending':
    case 'waiting':
      return { status: 'uploading', phase: stage.name, sentBytes: Math.min(stage.sentBytes, mostBytes) };
    default:
      return { status: 'uploading', phase: stage.name, sentBytes: 0 };
  }
}
