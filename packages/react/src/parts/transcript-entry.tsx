import type { TranscriptEntry } from '@attache/contracts';
import { useWords } from '../provider/context.ts';
import { AgentItem } from './agent-item.tsx';
import { DeliveryStatus } from './delivery-status.tsx';
import { ShownFile } from './shown-file.tsx';

export type TranscriptEntryProps = {
  entry: TranscriptEntry;
  /** All of the transcript: an entry of a message shows how its deliveries are. */
  entries: readonly TranscriptEntry[];
  nameOfAgent(agentId: string): string;
};

/** One entry of a transcript, by its type. */
export function TranscriptEntryView({ entry, entries, nameOfAgent }: TranscriptEntryProps) {
  const { strings, say } = useWords();
  switch (entry.type) {
    case 'message':
      return <MessageEntry {...{ entry, entries, nameOfAgent }} />;
    case 'agent-item':
      return <AgentItem entry={entry} agent={nameOfAgent(entry.agentId)} />;
    case 'tool-call':
      return (
        <p data-attache-part="tool" data-attache-status={entry.status}>
          {say(strings.toolCall, { title: entry.tool })} · {strings.toolStates[entry.status]}
          {entry.reason !== undefined && <span data-attache-part="reason">{entry.reason}</span>}
        </p>
      );
    case 'view': {
      const name = entry.attachment.name ?? strings.fileDeleted;
      return <p data-attache-part="note">{say(strings.viewed, { agent: nameOfAgent(entry.agentId), name })}</p>;
    }
    case 'attachment':
      if (entry.change === 'added') return <ShownFile file={entry.attachment} />;
      return (
        <p data-attache-part="note">
          {say(strings.fileRejected, { name: entry.attachment.name ?? strings.fileDeleted })}
        </p>
      );
    case 'session':
      return <p data-attache-part="note">{strings.sessionEnded}</p>;
    case 'unreadable':
      return <p data-attache-part="note">{strings.unreadable}</p>;
    default:
      return null;
  }
}

type Message = Omit<TranscriptEntryProps, 'entry'> & { entry: Extract<TranscriptEntry, { type: 'message' }> };

function MessageEntry({ entry, entries, nameOfAgent }: Message) {
  const words = useWords();
  return (
    <article data-attache-part="entry" data-attache-author="person">
      <header>
        <span data-attache-part="author">{words.strings.you}</span>
        <time dateTime={entry.at}>{words.time(entry.at, new Date())}</time>
      </header>
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
    </article>
  );
}

function lastStepOf(entries: readonly TranscriptEntry[], deliveryId: string): number {
  return entries.findLast((entry) => entry.type === 'delivery' && entry.deliveryId === deliveryId)?.seq ?? 0;
}
