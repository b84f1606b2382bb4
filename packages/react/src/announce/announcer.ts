import { createStore, type Store } from '../store.ts';

/** The texts of the two live regions. `id` changes with each text, so that the same words are read again. */
export type Announcement = { polite: string; assertive: string; id: number };

/** One change of the files that people should hear of. */
export type Change = { kind: 'added' | 'ready' | 'removed' | 'stopped' | 'failed'; name: string };

export type Announcer = Pick<Store<Announcement>, 'getSnapshot' | 'subscribe'> & {
  /** Notes changes. All that come within the pause become one sentence of each kind. */
  note(changes: readonly Change[]): void;
  /** Interrupts at once: refusals. */
  interrupt(text: string): void;
  /** Forgets what was not announced yet. */
  stop(): void;
};

type Options = {
  /** Puts changes of one kind into words. */
  describe(kind: Change['kind'], names: readonly string[]): string;
  pauseMs?: number;
};

const PAUSE_MS = 700;
const SILENT: Announcement = { polite: '', assertive: '', id: 0 };

/** Announces to a screen reader what happens to files, however many they are. A failure interrupts; all else waits for its turn. */
export function createAnnouncer({ describe, pauseMs = PAUSE_MS }: Options): Announcer {
  const store = createStore(SILENT);
  let noted: Change[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const publish = (polite: string, assertive: string) =>
    store.set({ polite, assertive, id: store.getSnapshot().id + 1 });
  const flush = () => {
    timer = undefined;
    const describeAll = (...kinds: Change['kind'][]) =>
      kinds
        .map((kind) => ({ kind, names: noted.flatMap((change) => (change.kind === kind ? change.name : [])) }))
        .flatMap(({ kind, names }) => (names.length === 0 ? [] : describe(kind, names)))
        .join(' ');
    publish(describeAll('added', 'ready', 'removed', 'stopped'), describeAll('failed'));
    noted = [];
  };
  return {
    ...store,
    note(changes) {
      noted.push(...changes);
      if (noted.length > 0) timer ??= setTimeout(flush, pauseMs);
    },
    interrupt: (assertive) => publish('', assertive),
    stop() {
      clearTimeout(timer);
      timer = undefined;
      noted = [];
    },
  };
}
