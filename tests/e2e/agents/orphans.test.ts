// hosted: never – it starts an embedded stack of its own
import { join } from 'node:path';
import { findProcessesIn, startEmbedded } from '@attache/test-harness';
import { expect, it } from 'vitest';

it('leaves no process behind when it stops, not even one that left its group', async () => {
  const stack = await startEmbedded();
  const { session, agent } = await stack.api.createSession();
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'example: spawn-orphan' });
  await stack.api.settled(deliveries[0].id);
  const processes = await findProcessesIn(join(stack.dataDir, 'agents', agent.id));
  // The agent and the grandchild that called setsid.
  expect((await processes.list()).length).toBeGreaterThanOrEqual(2);
  await stack.stop();
  expect(await processes.list()).toEqual([]);
});
