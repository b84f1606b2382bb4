import { makeNoisePng } from '@attache/test-harness';
import { createHttpClient } from '../../product/http-client.ts';
import { createSession, endSession } from '../../product/product-calls.ts';
import { pause } from '../../report/sample.ts';
import { createCounts, type StartLoad } from './load.ts';

const SENDERS = 20;
/** 16 MiB as base64. */
const FILE_BYTES = 11.9 * 1024 * 1024;
/** A twentieth of what a refusal asks for. */
const AGAIN_MS = 100;

/** Twenty messages of 16 MiB at a time, each sent again as soon as it was answered, by one token. */
export const startLargeMessages: StartLoad = async ({ url, apiKey }) => {
  const headers = { authorization: `Bearer ${apiKey}` };
  const client = createHttpClient(url, headers);
  const { session, agent } = await createSession(client);
  const data = Buffer.from(makeNoisePng(FILE_BYTES)).toString('base64');
  // The agent refuses at once: what it does is no work of messages.
  const draft = { to: [agent.id], attachments: [{ data, mimeType: 'image/png' }], text: 'example: refuse' };
  const body = Buffer.from(JSON.stringify(draft));
  const request = {
    method: 'POST',
    path: `/sessions/${session.id}/messages`,
    headers: { 'content-type': 'application/json', 'content-length': String(body.byteLength) },
    body,
  } as const;
  const { counts, add } = createCounts();
  let isOver = false;
  const sendAgain = async () => {
    const sender = createHttpClient(url, headers);
    while (!isOver) {
      const status = await sender.send(request).then(
        (answer) => answer.status,
        // Refused while the body was still on its way.
        () => 'cut off',
      );
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
      if (!counts['202']) throw new Error(`No large message was accepted: ${JSON.stringify(counts)}`);
      return counts;
    },
  };
};
