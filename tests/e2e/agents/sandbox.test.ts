// hosted: every – the gateway of each stack decides by itself what it puts around agents
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { runScript } from '../steps/turns.ts';

const works = await whereSandboxed();

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['other'] });
});
afterAll(() => stack.stop());

/** The folders that an agent of this profile sees: its own, the same as the gateway has it, and that of an agent of another tenant. */
async function look(profile: string): Promise<unknown[]> {
  const other = await stack.apiOf('other').createSession({ profile: 'scripted', model: 'script' });
  await runScript(stack.apiOf('other'), other, ['process']);
  const place = await stack.api.createSession({ profile, model: 'script' });
  // Its folder is where it runs.
  await runScript(stack.api, place, ['process']);
  const [own, foreign] = [place, other].map(({ agent }) => stack.agentFolder(agent.id));
  return await runScript(stack.api, place, ['see /agent/home', `see ${own}/home`, `see ${foreign}/home`]);
}

describe('agents of a stack', () => {
  // Each agent of the other suites is in one too: with CI=true they fail here if none can be made.
  it.runIf(works)('run in a sandbox by themselves, and see nothing of another tenant [BX-22]', async () => {
    expect(await look('scripted')).toEqual([true, false, false]);
  });

  it('run without one where their profile says so, and see what their gateway sees', async () => {
    expect(await look('open')).toEqual([false, true, true]);
  });
});
