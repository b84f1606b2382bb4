import { findProcessesIn } from '@attache/test-harness';
import { describe, expect, it } from 'vitest';
import { folderOf } from '../../agent-folder.ts';
import { STUB_KEY, secretsOfProfiles } from '../../agents-stack.ts';
import { eventsOf, listen, type Suite } from '../../driven.ts';
import { findWords } from '../../find-words.ts';
import { takeTurn } from '../../take-turn.ts';

/** Every secret value of the agent, its tokens as its living processes have them. */
export async function readSecrets(folder: string): Promise<string[]> {
  const given = await (await findProcessesIn(folder)).readGiven();
  const findTokens = (pattern: RegExp) => new Set(given.flatMap((each) => each.match(pattern) ?? []));
  const [tokens, relayTokens] = [findTokens(/ata_[\w-]{43}/g), findTokens(/atr_[\w-]{43}/g)];
  expect([tokens.size, relayTokens.size]).toEqual([1, 1]);
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
      const given = await (await findProcessesIn(folderOf(driven))).readGiven();
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
      for (const pid of await (await findProcessesIn(folder)).list()) killIfThere(pid);
      const stops = await stack.api.logged(place.session.id, ({ kind }) => kind === 'agent.stopped', { count });
      expect(stops.at(-1)?.data).toMatchObject({ reason: 'crashed' });
      expect(await findWords(folder, secrets, 0)).toEqual([]);
    });
  });
};
