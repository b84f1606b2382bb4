import { createHttpClient } from '../../product/http-client.ts';
import { createSession, endSession } from '../../product/product-calls.ts';
import { createCounts, type StartLoad } from './load.ts';

const CONNECTIONS = 64;

/** One small thing, read over many connections by one key as fast as it is answered. */
export const startSmallReads: StartLoad = async ({ url, apiKey }) => {
  const headers = { authorization: `Bearer ${apiKey}` };
  const client = createHttpClient(url, headers);
  const { session } = await createSession(client);
  const { counts, add } = createCounts();
  let isOver = false;
  const readAgain = async () => {
    const reader = createHttpClient(url, headers);
    while (!isOver) add((await reader.send({ method: 'GET', path: `/sessions/${session.id}` })).status);
    reader.close();
  };
  const readers = Array.from({ length: CONNECTIONS }, readAgain);
  return {
    async end() {
      isOver = true;
      await Promise.all(readers);
      // The limit of requests may be reached.
      await endSession(client, session.id).catch(() => undefined);
      client.close();
      return counts;
    },
  };
};
