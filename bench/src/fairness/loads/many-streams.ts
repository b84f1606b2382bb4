import { createHttpClient } from '../../product/http-client.ts';
import { createSession, putFile } from '../../product/product-calls.ts';
import { pause } from '../../report/sample.ts';
import { createCounts, type StartLoad } from './load.ts';
import { openStreams } from './open-streams.ts';

const STREAMS = 1_000;
/** How often something happens that all of them are sent. */
const EVENT_MS = 1_000;

/** A thousand event streams of one session, as many as are admitted, in which something happens each second. */
export const startManyStreams: StartLoad = async ({ url, apiKey }) => {
  const client = createHttpClient(url, { authorization: `Bearer ${apiKey}` });
  const { session } = await createSession(client);
  const { counts, add } = createCounts();
  const streams = await openStreams(client, session.id, { count: STREAMS, add });
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
