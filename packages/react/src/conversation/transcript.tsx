import type { TranscriptAttachment, TranscriptEntry } from '@attache/contracts';
import { useMemo } from 'react';
import { useDisplayUrls } from '../files/use-display-urls.ts';
import { useWords } from '../provider/context.ts';
import type { SessionView } from '../session/use-session.ts';
import { ShownFiles } from './shown-file.tsx';
import { TranscriptEntryView } from './transcript-entry.tsx';

export type TranscriptProps = { session: SessionView };

type EntryOf<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;

/** The conversation, live: messages with their files, what agents write, do and make, and how deliveries ended. */
export function Transcript({ session }: TranscriptProps) {
  const { strings } = useWords();
  const entries = useMemo(() => selectShown(session.entries), [session.entries]);
  const files = useMemo(() => listFiles(session.entries), [session.entries]);
  const pictures = [...files.values()].filter(({ kind, status }) => kind === 'image' && status === 'ready');
  const { urls, refresh } = useDisplayUrls(
    session.client,
    pictures.map(({ id }) => id),
  );
  const shown = useMemo(() => ({ files, urls, refresh }), [files, urls, refresh]);
  return (
    <section data-attache-part="transcript" dir={strings.dir} lang={strings.locale} aria-label={strings.transcript}>
      <Connection session={session} />
      <ShownFiles.Provider value={shown}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach that. */}
        <div role="log" data-attache-part="log" aria-label={strings.transcript} tabIndex={0}>
          {entries.length === 0 && <p data-attache-part="empty">{strings.empty}</p>}
          {entries.map((entry) => (
            <TranscriptEntryView
              key={entry.seq}
              entry={entry}
              entries={session.entries}
              nameOfAgent={session.nameOfAgent}
            />
          ))}
        </div>
      </ShownFiles.Provider>
      <Writing session={session} />
    </section>
  );
}

/** Steps that a later entry of the same call or delivery tells better are left out. */
function selectShown(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const begun = new Map<string, number>();
  const last = new Map<string, TranscriptEntry>();
  for (const entry of entries) {
    const identity = identityOf(entry, begun);
    // It moves to the place of the newest step.
    last.delete(identity);
    last.set(identity, entry);
  }
  return [...last.values()].filter(isShown);
}

/** Programs count their calls anew in each turn. `begun`: the entries with which calls began, for those that name no delivery. */
function identityOf(entry: TranscriptEntry, begun: Map<string, number>): string {
  if (entry.type === 'tool-call') {
    const call = `${entry.agentId} ${entry.callId}`;
    if (entry.status === 'called') begun.set(call, entry.seq);
    return `${call} ${begun.get(call)}`;
  }
  if (entry.type === 'agent-item' && entry.item.type === 'tool-call')
    return `${entry.agentId} ${entry.deliveryId} ${entry.item.callId}`;
  return entry.type === 'delivery' ? entry.deliveryId : String(entry.seq);
}

function isShown(entry: TranscriptEntry): boolean {
  if (entry.type === 'attachment') return entry.change === 'rejected' || isToolOutput(entry);
  if (entry.type === 'agent-item') return entry.item.type !== 'usage';
  return entry.type !== 'agent';
}

// Media of an agent's own words are an item of their own.
const isToolOutput = ({ change, origin }: EntryOf<'attachment'>) => change === 'added' && origin === 'tool-output';

/** The files as the newest entry describes them: one that is pending in its message is ready later. */
function listFiles(entries: readonly TranscriptEntry[]): ReadonlyMap<string, TranscriptAttachment> {
  return new Map(entries.flatMap(filesOf).map((file) => [file.id, file]));
}

function filesOf(entry: TranscriptEntry): readonly TranscriptAttachment[] {
  if (entry.type === 'message') return entry.attachments;
  return 'attachment' in entry && entry.attachment !== undefined ? [entry.attachment] : [];
}

function Connection({ session: { status, error } }: TranscriptProps) {
  const { strings } = useWords();
  // A session that has ended says so in its log.
  if (status === 'live' || status === 'ended') return null;
  return (
    <p data-attache-part="connection" data-attache-status={status}>
      {strings.connection[status]}
      {error && `: ${error.message}`}
    </p>
  );
}

/** Each piece of a text would be read aloud, so a screen reader waits for the finished entry. */
function Writing({ session: { streaming, nameOfAgent } }: TranscriptProps) {
  const { strings, say } = useWords();
  return Object.entries(streaming)
    .filter(([, { text }]) => text.trim())
    .map(([agentId, { text }]) => (
      <div key={agentId} data-attache-part="writing" aria-live="off">
        <span data-attache-part="author">{say(strings.agentWrites, { agent: nameOfAgent(agentId) })}</span>
        <p dir="auto">{text.trimStart()}</p>
      </div>
    ));
}
