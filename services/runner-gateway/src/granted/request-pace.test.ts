import { expect, it } from 'vitest';
import { createRequestPace } from './request-pace.ts';

const ownerOf = (agentId: string, tenantId: string) => ({ agentId, session: { tenantId, sessionId: 'session' } });

/** How many are worked on at once, and how many refused; the others wait. */
async function count(requests: Promise<void>[]) {
  const counts = { begun: 0, refused: 0 };
  for (const request of requests) {
    const note = (outcome: keyof typeof counts) => () => {
      counts[outcome] += 1;
    };
    void request.then(note('begun'), note('refused'));
  }
  await new Promise((resolve) => setImmediate(resolve));
  return counts;
}

const seldom = 0.01;
const askTimes = (pace: ReturnType<typeof createRequestPace>, times: number, agentId: string, tenantId: string) =>
  count(Array.from({ length: times }, () => pace(ownerOf(agentId, tenantId))));

it('agents of a tenant share its pace, and no others wait [BX-27 BX-32]', async () => {
  const pace = createRequestPace({ agent: { perSecond: seldom, atOnce: 5 }, tenant: { perSecond: seldom, atOnce: 8 } });
  expect(await askTimes(pace, 5, 'a', 'one')).toEqual({ begun: 5, refused: 0 });
  expect((await askTimes(pace, 5, 'b', 'one')).begun).toBe(3);
  expect((await askTimes(pace, 5, 'c', 'two')).begun).toBe(5);
});

it('an agent that floods its gateway waits and is refused, and takes nothing of those beside it [BX-27 BX-32]', async () => {
  const agent = { perSecond: seldom, atOnce: 5 };
  const pace = createRequestPace({ agent, tenant: { perSecond: seldom, atOnce: 20 } });
  expect(await askTimes(pace, 3_000, 'a', 'one')).toEqual({ begun: 5, refused: 2_995 });
  expect((await askTimes(pace, 5, 'b', 'one')).begun).toBe(5);
});
