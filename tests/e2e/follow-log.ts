import type { Api } from '@attache/test-harness';
import { expect } from 'vitest';

const FOLLOW_MS = 20_000;

export type ServerEvent = { id: string | undefined; event: string | undefined; data: string };

function parseBlock(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event'), data };
}

/** Follows a session's log and yields its events as they come; ends by the signal. */
async function* follow({ url, apiKey }: Api, sessionId: string, headers: Record<string, string>, signal: AbortSignal) {
  const response = await fetch(`${url}/v1/sessions/${sessionId}/events`, {
    headers: { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream', ...headers },
    signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
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

/** A session's log by server-sent events until one of this kind, that one too. */
export async function followLog(
  api: Api,
  sessionId: string,
  kind: string,
  headers: Record<string, string> = {},
): Promise<ServerEvent[]> {
  const reader = new AbortController();
  const events: ServerEvent[] = [];
  const signal = AbortSignal.any([reader.signal, AbortSignal.timeout(FOLLOW_MS)]);
  for await (const event of follow(api, sessionId, headers, signal)) {
    events.push(event);
    if (event.event === kind) break;
  }
  reader.abort();
  return events;
}
