import type { TranscriptEntry } from '@attache/contracts';
import { useWords } from '../provider/context.ts';
import { EntryFrame } from './entry-frame.tsx';
import { ShownFile } from './shown-file.tsx';

type AgentEntry = Extract<TranscriptEntry, { type: 'agent-item' }>;
type Part<T extends AgentEntry['item']['type']> = Extract<AgentEntry['item'], { type: T }>;

/** One thing that an agent said, thought, made, or did with a tool of its own. */
export function AgentItem({ entry, agent }: { entry: AgentEntry; agent: string }) {
  const words = useWords();
  const { item, attachment } = entry;
  if (item.type === 'usage') return null;
  if (item.type === 'tool-call') return <OwnTool item={item} />;
  return (
    <EntryFrame by="agent" name={agent} at={entry.at}>
      {item.type === 'text' && <p dir="auto">{item.text.trim()}</p>}
      {item.type === 'thought' && (
        <details>
          <summary>{words.say(words.strings.thought, { agent })}</summary>
          <p dir="auto">{item.text.trim()}</p>
        </details>
      )}
      {item.type === 'media' && attachment && <ShownFile file={attachment} />}
    </EntryFrame>
  );
}

function OwnTool({ item: { title, status, text } }: { item: Part<'tool-call'> }) {
  const { strings, say } = useWords();
  return (
    <details data-attache-part="tool" data-attache-status={status} open>
      <summary>
        {say(strings.toolCall, { title })} · {strings.toolStates[status as 'completed'] ?? status}
      </summary>
      {text !== undefined && <pre dir="auto">{text}</pre>}
    </details>
  );
}
