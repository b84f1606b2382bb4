import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '@attache/contracts';
import type { Api } from '@attache/test-harness';
import type { SeededRandom } from '../faults/seeded-random.ts';

/** A delivery that was acknowledged, with the digests of the files that it brings. */
export type Sent = { deliveryId: string; sha256s: string[] };

/** One conversation: what was acknowledged, in its order. */
export type Conversation = { sessionId: string; agentId: string; sent: Sent[] };

export type Load = {
  conversations: readonly Conversation[];
  /** Sends no more, and waits until all that was acknowledged has ended. Returns the ends by delivery. */
  finish(): Promise<Map<string, Delivery>>;
};

/** Lets sessions continue that were parked, since so many gateways died over them. */
export type Operator = { listParked(): Promise<string[]>; unpark(sessionId: string): Promise<void> };

const LOOK_MS = 3_000;

/** People who talk with agents at the same time, and do not wait for every answer before they say the next thing. */
export async function startLoad(
  { api, operator }: { api: Api; operator: Operator },
  random: SeededRandom,
  sessionCount: number,
): Promise<Load> {
  let isOver = false;
  const conversations = await Promise.all(
    Array.from({ length: sessionCount }, async (): Promise<Conversation> => {
      const { session, agent } = await api.createSession();
      return { sessionId: session.id, agentId: agent.id, sent: [] };
    }),
  );
  const talking = conversations.map(async (conversation) => {
    while (!isOver) {
      await sendOne(api, random, conversation).catch(async (error: Error) => {
        if (!error.message.includes('SESSION_PARKED')) throw error;
        await operator.unpark(conversation.sessionId);
      });
      const last = conversation.sent.at(-1);
      if (last && random.below(3) > 0) await api.settled(last.deliveryId);
      await delay(random.below(600));
    }
  });
  let isWatched = true;
  // People may be waiting for an answer in such a session, and would wait for ever.
  const watching = (async () => {
    while (isWatched) {
      for (const sessionId of await operator.listParked()) await operator.unpark(sessionId);
      await delay(LOOK_MS);
    }
  })();
  return {
    conversations,
    async finish() {
      isOver = true;
      await Promise.all(talking);
      const ends = new Map<string, Delivery>();
      for (const { sent } of conversations)
        for (const { deliveryId } of sent) ends.set(deliveryId, await api.settled(deliveryId));
      isWatched = false;
      await watching;
      return ends;
    },
  };
}

async function sendOne(api: Api, random: SeededRandom, { sessionId, agentId, sent }: Conversation): Promise<void> {
  const sha256s: string[] = [];
  const attachmentIds: string[] = [];
  if (random.below(2) === 0) {
    const bytes = new Uint8Array(Buffer.from(`line ${random.below(1e9)}\n`.repeat(1 + random.below(400))));
    const { attachment } = await api.upload(sessionId, bytes, { name: 'notes.txt', type: 'text/plain' });
    attachmentIds.push(attachment.id);
    sha256s.push(createHash('sha256').update(bytes).digest('hex'));
  }
  const slow = random.below(4) === 0 ? `\nexample: slow ${200 + random.below(1_500)}` : '';
  const message = { to: [agentId], text: `message ${randomUUID()}${slow}`, attachmentIds };
  const { deliveries } = await api.send(sessionId, message, { 'idempotency-key': randomUUID() });
  sent.push({ deliveryId: deliveries[0].id, sha256s });
}
