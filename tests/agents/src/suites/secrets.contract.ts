import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listAgentProcesses } from '../agent-processes.ts';
import { secretsOfProfiles } from '../agents-stack.ts';
import { type Driven, eventsOf, listen, type Suite } from '../driven.ts';
import { findWords } from '../find-words.ts';
import { takeTurn } from '../take-turn.ts';

export const folderOf = ({ stack, place }: Driven): string => join(stack.dataDir, 'agents', place.agent.id);

/** Every secret value that the agent was given, its token as its living processes have it. */
export async function readSecrets(folder: string): Promise<string[]> {
  const tokens = new Set((await listAgentProcesses(folder)).map(({ token }) => token));
  expect(tokens.size).toBe(1);
  return [...secretsOfProfiles, ...tokens];
}

// The end of one process may be that of the next.
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Looks for them in all that the agent keeps, also after an end that leaves it no time to tidy up. */
export const describeSecrets: Suite = (runtime, use) => {
  describe(`the secrets of ${runtime.key}`, () => {
    it('are in no file of its folder: not while it lives, and not after kill -9 [S26 S27 DL-78]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const folder = folderOf(driven);
      let isCalled = false;
      listen(driven, runtime.model, () => {
        if (isCalled) return { text: 'done' };
        isCalled = true;
        return { toolCalls: [runtime.shell('pwd')] };
      });
      await takeTurn(stack.api, place, 'Where are you?');
      const secrets = await readSecrets(folder);
      expect(await findWords(folder, secrets, 0)).toEqual([]);

      const { length: count } = await eventsOf(driven, place, 'agent.started');
      for (const { pid } of await listAgentProcesses(folder)) killIfThere(pid);
      const stops = await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped', { count });
      expect(stops.at(-1)?.data).toMatchObject({ reason: 'crashed' });
      expect(await findWords(folder, secrets, 0)).toEqual([]);
    });
  });
};
