import { createHttpClient } from '../../product/http-client.ts';
import { createSession, endSession } from '../../product/product-calls.ts';
import { pause } from '../../report/sample.ts';
import { createCounts, type LoadTarget, type RunningLoad } from './load.ts';

const SENDERS = 20;
/** A twentieth of what a refusal asks for. */
const AGAIN_MS = 100;

/** Twenty messages of one key at a time to an agent, each sent again as soon as it was answered. `compose` gives what a message to an agent holds. */
export async function repeatMessages(
  { url, apiKey }: LoadTarget,
  compose: (agentId: string) => object,
): Promise<RunningLoad> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const client = createHttpClient(url, headers);
  const { session, agent } = await createSession(client);
  const body = Buffer.from(JSON.stringify(compose(agent.id)));
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
      if (!counts['202']) throw new Error(`No message was accepted: ${JSON.stringify(counts)}`);
      return counts;
    },
  };
}
