import type { TranscriptEntry } from '@attache/contracts';
import { Reason } from '../parts/reason.tsx';
import { useWords } from '../provider/context.ts';
import type { Words } from '../words/words.ts';
import { AgentItem } from './agent-item.tsx';
import { DeliveryStatus } from './delivery-status.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { ShownFile } from './shown-file.tsx';

export type TranscriptEntryProps = {
  entry: TranscriptEntry;
  /** All of the transcript: an entry of a message shows how its deliveries are. */
  entries: readonly TranscriptEntry[];
  nameOfAgent(agentId: string): string;
};

/** One entry of a transcript, by its type. */
export function TranscriptEntryView({ entry, entries, nameOfAgent }: TranscriptEntryProps) {
  const words = useWords();
  switch (entry.type) {
    case 'message':
      return <MessageEntry {...{ entry, entries, nameOfAgent }} />;
    case 'agent-item':
      return <AgentItem entry={entry} agent={nameOfAgent(entry.agentId)} />;
    case 'tool-call':
      return <GatedTool entry={entry} />;
    case 'attachment':
      if (entry.change === 'added') return <ShownFile file={entry.attachment} />;
  }
  const note = describeNote(entry, nameOfAgent, words);
  return note === undefined ? null : <p data-attache-part="note">{note}</p>;
}

function describeNote(
  entry: TranscriptEntry,
  nameOfAgent: (agentId: string) => string,
  { strings, say }: Words,
): string | undefined {
  const nameOf = ({ name = strings.fileDeleted }: { name?: string | undefined }) => name;
  if (entry.type === 'view')
    return say(strings.viewed, { agent: nameOfAgent(entry.agentId), name: nameOf(entry.attachment) });
  if (entry.type === 'attachment') return say(strings.fileRejected, { name: nameOf(entry.attachment) });
  if (entry.type === 'session') return strings.sessionEnded;
  return entry.type === 'unreadable' ? strings.unreadable : undefined;
}

function GatedTool({ entry: { tool, status, reason } }: { entry: EntryOf<'tool-call'> }) {
  const { strings, say } = useWords();
  return (
    <p data-attache-part="tool" data-attache-status={status}>
      {say(strings.toolCall, { title: tool })} · {strings.toolStates[status]}
      <Reason text={reason} />
    </p>
  );
}

type EntryOf<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;
type Message = Omit<TranscriptEntryProps, 'entry'> & { entry: EntryOf<'message'> };

function MessageEntry({ entry, entries, nameOfAgent }: Message) {
  const words = useWords();
  return (
    <EntryFrame by="person" name={words.strings.you} at={entry.at}>
      {entry.text && <p dir="auto">{entry.text}</p>}
      {entry.attachments.length > 0 && (
        <div data-attache-part="files">
          {entry.attachments.map((file) => (
            <ShownFile key={file.id} file={file} />
          ))}
        </div>
      )}
      {entry.deliveryIds.map((id, index) => (
        <DeliveryStatus
          key={id}
          deliveryId={id}
          agent={nameOfAgent(entry.to[index] ?? '')}
          revision={lastStepOf(entries, id)}
        />
      ))}
    </EntryFrame>
  );
}

function lastStepOf(entries: readonly TranscriptEntry[], deliveryId: string): number {
  return entries.findLast((entry) => entry.type === 'delivery' && entry.deliveryId === deliveryId)?.seq ?? 0;
}
