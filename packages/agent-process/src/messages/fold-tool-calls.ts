import type { DriverHooks } from '../driver.ts';
import { type JsonRecord, recordOf, recordsOf, stringOf } from './json-values.ts';
import { describeRawOutput } from './raw-output.ts';
import { describeTaken, takeMedia, textOfBlock } from './take-media.ts';

const MAX_OPEN_CALLS = 256;

type OpenCall = {
  tool: string;
  title: string;
  status: string;
  /** Content with its media taken out. */
  content: JsonRecord[];
  rawOutput: unknown;
  givenOut: Set<string>;
};

/** Joins a tool call with its updates into one item, given out when the call has ended. Media in its content goes out at once. */
export function createToolCallFold(hooks: DriverHooks) {
  const open = new Map<string, OpenCall>();
  const ended = new Set<string>();

  async function giveOut(callId: string, call: OpenCall): Promise<void> {
    open.delete(callId);
    ended.add(callId);
    const { tool, title, status, content, rawOutput } = call;
    const hasResult = content.length > 0 || rawOutput !== undefined;
    const result = hasResult ? await hooks.onToolResult({ callId, tool, content: { content, rawOutput } }) : undefined;
    const text = textOfResult(result, call.givenOut);
    await hooks.onOutput({ type: 'tool-call', callId, tool, title, status, ...(text === '' ? {} : { text }) });
  }

  async function takeContent(callId: string, call: OpenCall, content: unknown): Promise<void> {
    call.content = [];
    for (const entry of recordsOf(content)) {
      const media = takeMedia(recordOf(entry.content));
      if (media === undefined) {
        call.content.push(entry);
        continue;
      }
      const { mimeType, bytes, sha256 } = media;
      call.content.push({ type: 'content', content: describeTaken(media) });
      // An update repeats the whole content, so the same media may come again.
      if (!call.givenOut.has(sha256)) await hooks.onOutput({ type: 'media', mimeType, bytes, callId });
      call.givenOut.add(sha256);
    }
  }

  return {
    async apply(update: JsonRecord): Promise<void> {
      const callId = stringOf(update.toolCallId);
      if (callId === undefined || ended.has(callId)) return;
      const call = open.get(callId) ?? emptyCall();
      open.set(callId, call);
      call.title = stringOf(update.title) ?? call.title;
      call.tool = stringOf(update.name) ?? stringOf(update.kind) ?? call.tool;
      call.status = stringOf(update.status) ?? call.status;
      if (update.rawOutput !== undefined) call.rawOutput = update.rawOutput;
      if (Array.isArray(update.content)) await takeContent(callId, call, update.content);
      if (call.status === 'completed' || call.status === 'failed') await giveOut(callId, call);
      const [oldest] = open;
      if (oldest !== undefined && open.size > MAX_OPEN_CALLS) await giveOut(...oldest);
    },
    async flush(): Promise<void> {
      for (const [callId, call] of [...open]) await giveOut(callId, call);
      ended.clear();
    },
  };
}

function emptyCall(): OpenCall {
  return { tool: 'other', title: '', status: 'pending', content: [], rawOutput: undefined, givenOut: new Set() };
}

/** The text of a tool's result that may be recorded: its content, and the further content of its raw output. */
function textOfResult(result: unknown, taken: ReadonlySet<string>): string {
  const { content, rawOutput } = recordOf(result);
  const text = recordsOf(content)
    .map(textOfEntry)
    .filter((each) => each !== '')
    .join('\n');
  const more = describeRawOutput(rawOutput, text, taken);
  return [text, more].filter((each) => each !== '').join('\n');
}

/** An entry holds a content block, or is a result of its own kind, such as a diff. */
function textOfEntry(entry: JsonRecord): string {
  return textOfBlock(entry.content === undefined ? entry : recordOf(entry.content));
}
