import type { IncomingMessage } from 'node:http';
import type { HttpClient } from '../../product/http-client.ts';

const AT_ONCE = 50;

/** Opens so many event streams of a session, and reads them; each status is added. */
export async function openStreams(
  client: HttpClient,
  sessionId: string,
  { count, add }: { count: number; add(status: number): void },
): Promise<IncomingMessage[]> {
  const streams: IncomingMessage[] = [];
  const open = async () => {
    const stream = await client.open({
      method: 'GET',
      path: `/sessions/${sessionId}/events`,
      headers: { accept: 'text/event-stream' },
    });
    add(stream.statusCode ?? 0);
    stream.on('error', () => {}).resume();
    streams.push(stream);
  };
  while (streams.length < count)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - streams.length) }, open));
  return streams;
}
