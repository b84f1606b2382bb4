import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentUsers, createAgentUsers, type LentUser } from '../users/agent-users.ts';
import { startBoxed } from './__fixtures__/boxed-start.ts';
import { countBubblewrap } from './__fixtures__/counted-bubblewrap.ts';
import { whereSandboxed } from './__fixtures__/where-sandboxed.ts';

const works = await whereSandboxed();
const isRoot = process.getuid?.() === 0;

let root: string;
let bubblewrap: ReturnType<typeof countBubblewrap>;
let lent: LentUser[];
beforeEach(async () => {
  lent = [];
  root = await mkdtemp(path.join(tmpdir(), 'attache-trials-'));
  bubblewrap = countBubblewrap(root);
});
afterEach(() => rm(root, { recursive: true }));

/** The users of a range, with notes of who borrowed which: a start waits until the user of the one before is free again. */
function noteLent(users: AgentUsers): AgentUsers {
  return {
    ...users,
    async lend(preferred) {
      const user = await users.lend(preferred);
      if (user !== undefined) lent.push(user);
      return user;
    },
  };
}

async function start(name: string, users?: AgentUsers) {
  const spec = { folder: path.join(root, 'agents', name), sandbox: { readOnly: [], privateFolders: [root] } };
  const outcome = await startBoxed(['/bin/echo', 'ran'], spec, { inherited: { PATH: bubblewrap.PATH }, users });
  if (outcome.status === 'failed') return outcome.failure;
  const { child } = outcome;
  const ended = { said: await text(child.stdout), exit: await child.exited };
  await Promise.all(lent.splice(0).map((user) => user.giveBack()));
  return ended;
}

const unavailable = { code: 'delivery_sandbox_unavailable', diagnostic: expect.stringMatching(/^user-namespaces: /) };

describe.runIf(works)('bubblewrap', () => {
  it('is tried before the first start of a process, and not again while its sandboxes work [BX-22]', async () => {
    for (const name of ['one', 'two', 'one']) expect(await start(name)).toMatchObject({ said: 'ran\n' });
    expect(bubblewrap.listTrials()).toEqual([process.getuid?.()]);
  });

  it('is tried again as soon as it makes no sandbox, and before each start until it does [BX-22]', async () => {
    expect(await start('one')).toMatchObject({ said: 'ran\n' });
    bubblewrap.refuse();
    expect(await start('one')).toMatchObject({ said: '', exit: { sandboxFault: unavailable.diagnostic } });
    expect(bubblewrap.listTrials()).toHaveLength(2);
    for (let count = 0; count < 2; count += 1) expect(await start('one')).toMatchObject(unavailable);
    expect(bubblewrap.listTrials()).toHaveLength(4);
    bubblewrap.allow();
    for (let count = 0; count < 2; count += 1) expect(await start('one')).toMatchObject({ said: 'ran\n' });
    expect(bubblewrap.listTrials()).toHaveLength(5);
  });

  it.runIf(isRoot)(
    'is tried by each user of an agent, and one that is refused is not passed over [BX-22]',
    async () => {
      const first = 1_800_000_000 + randomInt(1_000_000) * 2;
      const users = noteLent(createAgentUsers({ first, last: first + 1 }));
      for (const name of ['one', 'two', 'one', 'two'])
        expect(await start(name, users)).toMatchObject({ said: 'ran\n' });
      expect(bubblewrap.listTrials()).toEqual([first, first + 1]);
      bubblewrap.refuse();
      expect(await start('two', users)).toMatchObject({ exit: { sandboxFault: unavailable.diagnostic } });
      for (const name of ['one', 'two']) expect(await start(name, users)).toMatchObject(unavailable);
      expect(bubblewrap.listTrials().slice(2)).toEqual([first + 1, first, first + 1]);
    },
  );
});
