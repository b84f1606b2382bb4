import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listAgentProcesses, readGiven } from '../../agent-processes.ts';
import { STUB_KEY, secretsOfProfiles } from '../../agents-stack.ts';
import { type Driven, eventsOf, listen, type Suite } from '../../driven.ts';
import { findWords } from '../../find-words.ts';
import { takeTurn } from '../../take-turn.ts';

export const folderOf = ({ stack, place }: Driven): string => join(stack.dataDir, 'agents', place.agent.id);

/** Every secret value of the agent, its tokens as its living processes have them. */
export async function readSecrets(folder: string): Promise<string[]> {
  const processes = await listAgentProcesses(folder);
  const tokens = new Set(processes.map(({ token }) => token));
  expect(tokens.size).toBe(1);
  const relayTokens = new Set((await readGiven(processes)).flatMap((given) => given.match(/atr_[\w-]{43}/g) ?? []));
  expect(relayTokens.size).toBe(1);
  return [...secretsOfProfiles, ...tokens, ...relayTokens];
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
    it('are none of its model API: the key is in no process of its program, and in every request that left [BX-24 S26]', async () => {
      const driven = use();
      const asked = listen(driven, runtime.model);
      await takeTurn(driven.stack.api, driven.place, 'Who are you?');
      const given = await readGiven(await listAgentProcesses(folderOf(driven)));
      expect(given.length).toBeGreaterThan(0);
      expect(given.filter((each) => each.includes(STUB_KEY))).toEqual([]);
      expect(asked.length).toBeGreaterThan(0);
      for (const { headers } of asked) {
        expect(Object.values(headers).filter((value) => value.endsWith(STUB_KEY))).toHaveLength(1);
        expect(JSON.stringify(headers)).not.toMatch(/at[ar]_/);
      }
    });

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
