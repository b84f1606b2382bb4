// hosted: long – the gateway of each stack measures the folders of its agents, and removes them
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const nest = (depth: number, name: string) =>
  `unset PWD OLDPWD; i=0; while [ $i -lt ${depth} ]; do mkdir ${name} && cd -P ./${name}; i=$((i+1)); done`;
const large = 'head -c 12000000 /dev/zero';

/** Ways to hold more than 8 MB that a look at names and sizes along paths does not find. */
const ways = {
  'a file without a name': `exec 3>held; rm held; ${large} >&3`,
  'a path of more than 4,096 bytes': `${nest(40, 'n'.repeat(200))}; ${large} > large`,
  'folders in one another without end': nest(300, 'n'),
  'empty files': 'seq 3000 | xargs touch',
  'a folder that it has closed': `mkdir shut; ${large} > shut/large; chmod 000 shut`,
};

describe('an agent that hides from its limit of the disk', () => {
  it.each(Object.entries(ways))(
    'by %s is ended and said why; its session ends, and nothing is left [BX-22 BX-20]',
    async (_, way) => {
      const place = await stack.api.createSession({ profile: 'bounded', model: 'script' });
      const { delivery } = await takeTurn(stack.api, place, `do: run ${way}; sleep 600`);
      expect(delivery).toMatchObject({
        ...{ status: 'failed', failure: { code: 'delivery_agent_crashed' } },
      });
      expect(delivery.failure?.diagnostic).toMatch(/stopped: its folder (held|nested) more than/);
      const folder = stack.agentFolder(place.agent.id);
      expect(existsSync(folder)).toBe(true);
      await stack.api.call('POST', `/sessions/${place.session.id}/end`);
      const isLeft = () => existsSync(folder) || readdirSync(dirname(folder)).some((name) => name.startsWith('left-'));
      await expect.poll(isLeft, { timeout: 60_000 }).toBe(false);
      const other = await stack.api.createSession({ profile: 'bounded', model: 'script' });
      expect((await takeTurn(stack.api, other, 'do: process')).delivery.status).toBe('responded');
    },
  );
});
