import type { Draft, DraftSnapshot } from '@attache/client';
import { useEffect, useMemo } from 'react';
import { useStore } from '../store.ts';
import type { Words } from '../words/words.ts';
import { type Announcement, type Announcer, createAnnouncer } from './announcer.ts';
import { listChanges } from './list-changes.ts';

/** Announces what happens to files. Returns the texts for the live regions, and a way to interrupt. */
export function useAnnouncer(
  draft: Draft,
  snapshot: DraftSnapshot,
  words: Words,
): { announcement: Announcement; interrupt: Announcer['interrupt'] } {
  const own = useMemo(
    () => ({
      announcer: createAnnouncer({
        describe: (kind, names) => words.count(words.strings.announced[kind], names.length, { names: names[0] ?? '' }),
      }),
      // The files of a draft before were not removed.
      seen: draft.getSnapshot(),
    }),
    [draft, words],
  );
  const { announcer } = own;
  useEffect(() => {
    announcer.note(listChanges(own.seen, snapshot));
    own.seen = snapshot;
  }, [own, announcer, snapshot]);
  useEffect(() => () => announcer.stop(), [announcer]);
  const announcement = useStore(announcer);
  return { announcement, interrupt: announcer.interrupt };
}
