import type { Delivery } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import type { InstalledRuntime } from '../agents-stack.ts';
import { type Driven, eventsOf, type Suite } from '../driven.ts';
import { jpeg, paintNoise } from '../files.ts';
import type { ModelRequest } from '../stub/model-request.ts';
import type { ModelReply } from '../stub/model-stub.ts';
import { converse, openPlace, type Place, takeTurn, uploadSample } from '../take-turn.ts';

type Failing = { name: string; reply: ModelReply };

const refuse = (status: number): ModelReply => ({ status, error: { message: 'not now' }, retryAfterSeconds: 1 });

const everyWay: readonly Failing[] = [
  { name: 'an answer that breaks off', reply: { breaksAfter: 'I beg' } },
  { name: 'a connection that is reset', reply: { reset: true } },
  { name: 'status 400', reply: refuse(400) },
  { name: 'status 401', reply: refuse(401) },
  { name: 'status 429', reply: refuse(429) },
  { name: 'status 529', reply: refuse(529) },
];

/** The long tests try every way to fail. A program that tells no status tries a broken answer again for long, and its 400 may be retried. */
function listWays({ refusals }: InstalledRuntime): readonly Failing[] {
  if (process.env.ATTACHE_TEST_AMOUNT !== 'few') return everyWay;
  const quick = refusals[400] === 'delivery_runtime_transport_failed' ? 'status 400' : 'an answer that breaks off';
  return everyWay.filter(({ name }) => name === quick);
}

const WORDS = { first: 'Look at ZERO.', failed: 'Look at ONE.', next: 'Look at TWO.' };

/** A turn that failed stays in the memory of many programs. */
export const describeRetries: Suite = (runtime, use) => {
  describe.each(listWays(runtime))(`after a turn that failed by $name, ${runtime.key}`, ({ reply }) => {
    it('a retry, and each later turn, has every word and picture once [DL-42 DL-84 SR-15]', async () => {
      const driven = use();
      const { api } = driven.stack;
      const { asked, place, delivery, picture } = await failOnce(driven, runtime.model, reply);
      const retried = await api.call('POST', `/deliveries/${delivery.id}/retry`);
      // A message that was refused for its content is not sent again as it was.
      if (delivery.failure?.retryable) expect(await api.settled(delivery.id)).toMatchObject({ status: 'responded' });
      else expect(retried.status).toBe(409);
      if (delivery.failure?.retryable)
        expect(count(asked.at(-1), picture)).toEqual({ first: 1, failed: 1, next: 0, picture: 1 });
      await converse(api, place, WORDS.next);
      const last = count(asked.at(-1), picture);
      expect(last).toMatchObject({ first: 1, next: 1 });
      expect(Math.max(last.failed, last.picture)).toBeLessThanOrEqual(1);
      const rebuilt = await eventsOf(driven, place, 'agent.rebuilt');
      if (rebuilt.length === 0) expect(asked.at(-1)?.attachments.filter(isGood)).toHaveLength(1);
    });
  });

  it(`a message behind a turn that failed at ${runtime.key} has every word and picture at most once [DL-42 DL-84]`, async () => {
    const driven = use();
    const { asked, place, picture } = await failOnce(
      driven,
      runtime.model,
      listWays(runtime)[0]?.reply ?? { reset: true },
    );
    await converse(driven.stack.api, place, WORDS.next);
    const { failed, picture: pictures, ...once } = count(asked.at(-1), picture);
    expect(once).toEqual({ first: 1, next: 1 });
    expect(Math.max(failed, pictures)).toBeLessThanOrEqual(1);
  });
};

type Failed = { asked: ModelRequest[]; place: Place; delivery: Delivery; picture: string };

/** A turn that is answered and whose memory is kept, and one that fails. */
async function failOnce(driven: Driven, model: string, reply: ModelReply): Promise<Failed> {
  const { api, stub } = driven.stack;
  const { profile } = driven.place.agent.target;
  const place = await openPlace(api, profile, model);
  const asked: ModelRequest[] = [];
  let isFailing = false;
  stub.script((request) => {
    if (request.model !== model) return { text: 'ok' };
    asked.push(request);
    return isFailing ? reply : { text: 'fine' };
  });
  const good = await uploadSample(api, place, jpeg);
  await converse(api, place, WORDS.first, [good.id]);
  const kept = () => eventsOf(driven, place, 'agent.checkpointed');
  await expect.poll(kept, { timeout: 60_000 }).not.toEqual([]);
  const noise = await paintNoise();
  const file = await uploadSample(api, place, noise);
  isFailing = true;
  const sent = await takeTurn(api, place, WORDS.failed, [file.id]);
  isFailing = false;
  if (sent.status === 'blocked' || sent.delivery.status !== 'failed') throw new Error(JSON.stringify(sent));
  return { asked, place, delivery: sent.delivery, picture: noise.sha256 };
}

const isGood = ({ sha256 }: { sha256: string }) => sha256 === jpeg.sha256;

/** How often a request has the words of each message, and the picture. */
function count(request: ModelRequest | undefined, picture: string) {
  const said = request?.texts.join('\n') ?? '';
  const countOf = (words: string) => said.split(words).length - 1;
  return {
    ...{ first: countOf(WORDS.first), failed: countOf(WORDS.failed), next: countOf(WORDS.next) },
    picture: request?.attachments.filter(({ sha256 }) => sha256 === picture).length ?? 0,
  };
}
