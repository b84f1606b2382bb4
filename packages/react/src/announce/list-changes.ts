import { isStopped } from '../has-error.ts';
import type { Change } from './announcer.ts';

type Item = {
  key: string;
  generation: number;
  name: string;
  status: 'uploading' | 'ready' | 'error';
  error?: { code: string };
};
type Draft = { generation: number; items: readonly Item[] };

/** The changes between two states of a draft. A file that was ready when it came, after a reload, is only added; one that left with its message is no news. */
export function listChanges(before: Draft, after: Draft): Change[] {
  const known = new Map(before.items.map((item) => [item.key, item]));
  const present = new Set(after.items.map(({ key }) => key));
  const gone = before.items.filter(({ key, generation }) => !present.has(key) && generation === before.generation);
  return [
    ...after.items.flatMap((item) => changesOf(known.get(item.key), item)),
    ...gone.map(({ name }): Change => ({ kind: 'removed', name })),
  ];
}

function changesOf(before: Item | undefined, item: Item): Change[] {
  const { name, status } = item;
  const changes: Change[] = before === undefined ? [{ kind: 'added', name }] : [];
  if (status === 'error' && before?.status !== 'error')
    changes.push({ kind: isStopped(item) ? 'stopped' : 'failed', name });
  if (status === 'ready' && before?.status === 'uploading') changes.push({ kind: 'ready', name });
  return changes;
}
