import { expect, it } from 'vitest';
import { createRequestPace } from './request-pace.ts';

const ownerOf = (agentId: string, tenantId: string) => ({ agentId, session: { tenantId, sessionId: 'session' } });

/** Those of the requests that are worked on at once. */
async function countUnheld(requests: Promise<void>[]): Promise<number> {
  let count = 0;
  for (const request of requests) void request.then(() => (count += 1));
  await new Promise((resolve) => setImmediate(resolve));
  return count;
}

it('an agent that floods its gateway waits, and so do those of its tenant, and no others [BX-27 BX-32]', async () => {
  const never = 0.01;
  const pace = createRequestPace({ agent: { perSecond: never, atOnce: 5 }, tenant: { perSecond: never, atOnce: 8 } });
  const ask = (agentId: string, tenantId: string) =>
    countUnheld(Array.from({ length: 20 }, () => pace(ownerOf(agentId, tenantId))));
  expect(await ask('a', 'one')).toBe(5);
  expect(await ask('b', 'one')).toBe(0);
  expect(await ask('c', 'two')).toBe(5);
});
