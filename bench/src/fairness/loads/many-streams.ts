import type { IncomingMessage } from 'node:http';
import { createHttpClient } from '../../product/http-client.ts';
import { createSession, putFile } from '../../product/product-calls.ts';
import { pause } from '../../report/sample.ts';
import { createCounts, type StartLoad } from './load.ts';

const STREAMS = 1_000;
const AT_ONCE = 50;
/** How often something happens that all of them are sent. */
const EVENT_MS = 1_000;

/** A thousand event streams of one session, as many as are admitted, in which something happens each second. */
export const startManyStreams: StartLoad = async ({ url, apiKey }) => {
  const client = createHttpClient(url, { authorization: `Bearer ${apiKey}` });
  const { session } = await createSession(client);
  const { counts, add } = createCounts();
  const streams: IncomingMessage[] = [];
  const open = async () => {
    const stream = await client.open({
      method: 'GET',
      path: `/sessions/${session.id}/events`,
      headers: { accept: 'text/event-stream' },
    });
    add(stream.statusCode ?? 0);
    stream.on('error', () => {}).resume();
    streams.push(stream);
  };
  for (let begun = 0; begun < STREAMS; begun += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, open));
  let isOver = false;
  const makeEvents = async () => {
    while (!isOver) {
      const bytes = Buffer.from(`now ${performance.now()}`);
      await putFile(client, session.id, {
        bytes,
        sizeBytes: bytes.byteLength,
        mimeType: 'text/plain',
        name: 'note.txt',
      });
      await pause(EVENT_MS);
    }
  };
  const events = makeEvents();
  return {
    async end() {
      isOver = true;
      await events;
      for (const stream of streams) stream.destroy();
      client.close();
      return counts;
    },
  };
};
