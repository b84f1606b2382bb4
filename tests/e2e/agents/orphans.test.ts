// hosted: never – it starts an embedded stack of its own
import { readdir, readFile } from 'node:fs/promises';
import { startEmbedded } from '@attache/test-harness';
import { expect, it } from 'vitest';

/** Pids of processes whose environment names the folder. */
async function findProcessesOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_pid, index) => environments[index]?.includes(`HOME=${folder}/agents/`));
}

it('leaves no process behind when it stops, not even one that left its group', async () => {
  const stack = await startEmbedded();
  const { session, agent } = await stack.api.createSession();
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'example: spawn-orphan' });
  await stack.api.settled(deliveries[0].id);
  // The agent and the grandchild that called setsid.
  expect((await findProcessesOf(stack.dataDir)).length).toBeGreaterThanOrEqual(2);
  await stack.stop();
  expect(await findProcessesOf(stack.dataDir)).toEqual([]);
});
