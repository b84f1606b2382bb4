// hosted: never – it starts an embedded stack of its own
// embedded: long – it starts a stack of its own for a machine without sandboxes
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { copyTemplateFolder, spawnStack } from '@attache/test-harness';
import { expect, it, onTestFinished } from 'vitest';

it('where no sandbox works one line at the start says why and what to do, and agents run without one [BX-22]', async () => {
  const dataDir = await copyTemplateFolder();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  // Node and nothing else.
  const stack = await spawnStack(dataDir, { PATH: dirname(process.execPath) });
  try {
    const { session, agent } = await stack.api.createSession();
    const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'hello' });
    expect(await stack.api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
    // Its address came by another pipe: the log is read once a turn is over.
    const lines = stack.log().split('\n');
    expect(lines.filter((line) => line.includes('without a sandbox'))).toEqual([
      expect.stringMatching(/^Agents run without a sandbox .+ \(no-program\) .+ Install the package bubblewrap/),
    ]);
  } finally {
    await stack.end('SIGTERM');
  }
});
