import type { DraftSnapshot } from '@attache/client';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Words } from '../words/words.ts';
import { type Announcement, type Announcer, createAnnouncer, silent } from './announcer.ts';
import { listChanges } from './list-changes.ts';

/** Announces what happens to files. Returns the texts for the live regions, and a way to interrupt. */
export function useAnnouncer(
  draft: DraftSnapshot,
  words: Words,
): { announcement: Announcement; interrupt: Announcer['interrupt'] } {
  const announcer = useMemo(
    () => createAnnouncer({ describe: (kind, names) => describe(kind, names, words) }),
    [words],
  );
  const before = useRef(draft);
  useEffect(() => {
    announcer.note(listChanges(before.current, draft));
    before.current = draft;
  }, [announcer, draft]);
  useEffect(() => () => announcer.stop(), [announcer]);
  const announcement = useSyncExternalStore(announcer.subscribe, announcer.getSnapshot, silent);
  return { announcement, interrupt: announcer.interrupt };
}

function describe(kind: 'added' | 'ready' | 'removed' | 'failed', names: readonly string[], words: Words): string {
  return words.count(words.strings.announced[kind], names.length, { names: names[0] ?? '' });
}
