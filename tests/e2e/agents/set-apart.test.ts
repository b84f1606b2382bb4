// hosted: never – what is around a program is made by the gateway that starts it, in the same way on both stacks
// embedded: long – each program is started in two more ways; sandboxes are in sandbox.test.ts
import { hash, randomInt } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listProcesses } from '@attache/agent-process/list-processes';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { makePng, scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type Place, runScript } from '../steps/turns.ts';

const isSandboxed = await whereSandboxed();
const wrap = fileURLToPath(import.meta.resolve('@attache/agent-process/wrap.sh'));
const firstUser = 1_700_000_000 + randomInt(1_000_000);

const scripted = {
  ...({ runtime: 'acp', permissionMode: 'gated', limits: { idleStopMs: 1 } } as const),
  // As a program whose own tools read files.
  command: [process.execPath, scriptedAgent, 'opencode'],
};
const wrapper = [wrap, '--write={folder}', '--read={socket}', '--read={readOnly}', '--'];
const profiles = {
  wrapped: { ...scripted, sandbox: { mode: 'command' as const, command: wrapper } },
  boxed: { ...scripted, sandbox: { mode: 'bubblewrap' as const, network: 'none' as const } },
};
const agentUids = `${firstUser}-${firstUser + 99}`;

describe.runIf(isSandboxed).each([
  { title: 'in the wrapper of its operator', profile: 'wrapped', options: { profiles }, canRun: true },
  {
    title: 'as a user of its own',
    ...{ profile: 'boxed', options: { profiles, agentUids }, canRun: process.getuid?.() === 0 },
  },
])('an agent $title', ({ profile, options, canRun }) => {
  let stack: OwnStack;
  beforeAll(async () => {
    if (canRun) stack = await openOwnStack(options);
  });
  afterAll(() => stack?.stop());

  it.runIf(canRun)(
    'is sent a file, reads it by its tools, and gives one back, in each of its processes [BX-17 BX-19 BX-22]',
    async () => {
      const place: Place = await stack.api.createSession({ profile, model: 'script' });
      const note = Buffer.from('a note of a tenant\n'.repeat(500));
      const { attachment } = await stack.api.upload(place.session.id, Uint8Array.from(note), {
        ...{ name: 'note.txt', type: 'text/plain' },
      });
      const { id, sha256 } = attachment;
      const { attachment: picture } = await stack.api.upload(place.session.id, makePng(20, 20));
      await stack.api.inspected(picture.id);
      // The last user is that of the worker that has looked at it.
      expect(listProcesses(firstUser + 99).length > 0).toBe(profile === 'boxed');
      for (const name of ['first.txt', 'second.txt']) {
        const lines = [`read ${id}`, `get-file ${id}`, `file ${id}`, `put ${name}`];
        const [read, copy, found, put] = await runScript(stack.api, place, lines, [id]);
        expect(read).toBe(sha256);
        expect(copy).toMatchObject({ mode: '400', isInOwnFolder: true, sha256: hash('sha256', note) });
        expect(found).toMatchObject({ isInOwnFolder: true, sha256: hash('sha256', note) });
        expect(put).toMatchObject({ name, mimeType: 'text/plain' });
        // It rests at once, so that the next turn is another process.
        await expect.poll(() => countStops(stack, place)).toBe(name === 'first.txt' ? 1 : 2);
      }
      const { uid } = await stat(join(stack.agentFolder(place.agent.id), 'work'));
      // Those that asked the profiles before had users too.
      const isOwn = uid >= firstUser && uid < firstUser + 99;
      expect({ uid, isOwn }).toEqual({ uid: isOwn ? uid : process.getuid?.(), isOwn: profile === 'boxed' });
    },
  );
});

async function countStops({ api }: OwnStack, { session }: Place): Promise<number> {
  return (await api.events(session.id)).filter(({ kind }) => kind === 'agent.stopped').length;
}
