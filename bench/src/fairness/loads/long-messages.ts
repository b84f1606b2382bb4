import { createHttpClient, type HttpClient } from '../../product/http-client.ts';
import { createSession, endSession, postJson } from '../../product/product-calls.ts';
import { pause } from '../../report/sample.ts';
import { createCounts, type StartLoad } from './load.ts';

const SENDERS = 20;
const WORDS = 'one word after another, ';
const TEXT_BYTES = 1_000_000;
const AGAIN_MS = 100;

/** Twenty messages of 1 MB of words at a time, each sent again as soon as it was answered, by one key. */
export const startLongMessages: StartLoad = async ({ url, apiKey }) => {
  const headers = { authorization: `Bearer ${apiKey}` };
  const client = createHttpClient(url, headers);
  const { session, agent } = await createSession(client);
  const text = `example: refuse\n${WORDS.repeat(TEXT_BYTES / WORDS.length)}`;
  const draft = { to: [agent.id], text };
  const { counts, add } = createCounts();
  let isOver = false;
  const send = (sender: HttpClient) =>
    postJson(sender, `/sessions/${session.id}/messages`, draft).then(
      ({ status }) => status,
      () => 'cut off',
    );
  const sendAgain = async () => {
    const sender = createHttpClient(url, headers);
    while (!isOver) {
      const status = await send(sender);
      add(status);
      if (status !== 202) await pause(AGAIN_MS);
    }
    sender.close();
  };
  const senders = Array.from({ length: SENDERS }, sendAgain);
  return {
    async end() {
      isOver = true;
      await Promise.all(senders);
      await endSession(client, session.id);
      client.close();
      if (!counts['202']) throw new Error(`No long message was accepted: ${JSON.stringify(counts)}`);
      return counts;
    },
  };
};
