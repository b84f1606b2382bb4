import type { FollowStatus, SessionClient, TranscriptPage } from '@attache/client';
import type { Session } from '@attache/contracts';
import { createStore, type Store } from '../store.ts';
import { addEntries, addEvent, type Log } from './fold-log.ts';

export type ConnectionStatus = 'connecting' | 'reconnecting' | 'live' | 'ended' | 'failed';

export type SessionState = Log & {
  session: Session | undefined;
  status: ConnectionStatus;
  /** Why it is `failed`. */
  error: Error | undefined;
};

const UNKNOWN: SessionState = {
  ...{ session: undefined, status: 'connecting', error: undefined, entries: [], streaming: {} },
};

/** Follows a session by one stream: its events say when to read the transcript again, and bring the text that agents are writing. */
export type SessionFollower = Pick<Store<SessionState>, 'getSnapshot' | 'subscribe'> & {
  /** Begins to follow, or continues. Returns a function that stops. */
  start(): () => void;
};

export function createSessionFollower(client: SessionClient): SessionFollower {
  const store = createStore(UNKNOWN);
  // Entries that are there already may be ahead of it: those that came with an event.
  const read = { seq: 0 };
  return {
    ...store,
    start() {
      const stop = new AbortController();
      const following: Following = { client, store, read, signal: stop.signal };
      follow(following).catch((error: unknown) => fail(following, error));
      return () => stop.abort();
    },
  };
}

type Following = { client: SessionClient; store: Store<SessionState>; read: { seq: number }; signal: AbortSignal };

function fail({ store, signal }: Following, error: unknown): void {
  if (signal.aborted) return;
  store.set({ status: 'failed', error: error as Error });
}

async function follow(following: Following): Promise<void> {
  const { client, store, read, signal } = following;
  await Promise.all([readSession(following), readEntries(following)]);
  const onNews = createBell(following, readEntries);
  const onChange = createBell(following, readSession);
  const onStatus = (status: FollowStatus) => noteStatus(store, status);
  for await (const event of client.events({ after: read.seq, signal, onStatus })) {
    store.set(addEvent(store.getSnapshot(), event));
    if (event.kind !== 'agent.delta') onNews();
    if (/^(agent\.(?!delta|output)|session\.)/.test(event.kind)) onChange();
  }
}

async function readSession({ client, store, signal }: Following): Promise<void> {
  const session = await client.read({ signal });
  store.set({ session, ...(session.status === 'ended' && { status: 'ended' }) });
}

async function readEntries({ client, store, read, signal }: Following): Promise<void> {
  let after: number | string | null = read.seq;
  while (after !== null) {
    const { items, nextCursor }: TranscriptPage = await client.transcript({ after, signal });
    store.set(addEntries(store.getSnapshot(), items));
    read.seq = Math.max(read.seq, items.at(-1)?.seq ?? 0);
    after = nextCursor;
  }
}

function noteStatus(store: Store<SessionState>, status: FollowStatus): void {
  const { status: before } = store.getSnapshot();
  if (before === 'ended') return;
  if (status === 'open') store.set({ status: 'live', error: undefined });
  else if (status === 'waiting') store.set({ status: 'reconnecting' });
}

/** Runs a job at each ring. Rings during a run become one more run after it. */
function createBell(following: Following, job: (following: Following) => Promise<void>): () => void {
  let isRunning = false;
  let isRung = false;
  const ring = () => {
    isRung = true;
    if (isRunning) return;
    isRung = false;
    isRunning = true;
    void job(following)
      .catch((error) => fail(following, error))
      .finally(() => {
        isRunning = false;
        if (isRung) ring();
      });
  };
  return ring;
}
