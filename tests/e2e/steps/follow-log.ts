import type { Api } from '@attache/test-harness';
import { expect } from 'vitest';

const FOLLOW_MS = 120_000;

export type ServerEvent = { id: string | undefined; event: string | undefined; data: string };

function parseBlock(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event'), data };
}

async function* readEvents(response: Response) {
  let rest = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const parsed = parseBlock(block);
      if (parsed) yield parsed;
    }
  }
}

/** Follows a session's log by server-sent events. What happens after this resolves is seen, also what the log does not keep. */
export async function openLog(
  { url, apiKey }: Api,
  sessionId: string,
  headers: Record<string, string> = {},
  form: 'events' | 'transcript' = 'events',
) {
  const reader = new AbortController();
  const response = await fetch(`${url}/v1/sessions/${sessionId}/${form}`, {
    headers: { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream', ...headers },
    signal: AbortSignal.any([reader.signal, AbortSignal.timeout(FOLLOW_MS)]),
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return {
    /** Its events up to and with the first of this kind, or that is the one; then nobody follows any more. */
    async readUntil(last: string | ((event: ServerEvent) => boolean)): Promise<ServerEvent[]> {
      const events: ServerEvent[] = [];
      for await (const event of readEvents(response)) {
        events.push(event);
        if (typeof last === 'string' ? event.event === last : last(event)) break;
      }
      reader.abort();
      return events;
    },
  };
}
