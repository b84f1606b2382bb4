import type { TranscriptAttachment, TranscriptEntry } from '@attache/contracts';
import { useMemo } from 'react';
import { useDisplayUrls } from '../files/use-display-urls.ts';
import { useWords } from '../provider/context.ts';
import type { SessionView } from '../session/use-session.ts';
import { selectShown } from './select-shown.ts';
import { ShownFiles } from './shown-file.tsx';
import { TranscriptEntryView } from './transcript-entry.tsx';

export type TranscriptProps = { session: SessionView };

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
