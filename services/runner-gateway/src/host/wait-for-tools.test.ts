import type { AgentExit } from '@attache/agent-process';
import { describe, expect, it } from 'vitest';
import { createToolsListed, waitForTools } from './wait-for-tools.ts';

const alive = { exited: new Promise<AgentExit>(() => undefined) };

describe('the first turn of an agent', () => {
  it('waits until its program has asked for our tools [BX-17]', async () => {
    const tools = createToolsListed();
    const waiting = waitForTools(tools, alive, 60_000);
    expect(tools.isListed()).toBe(false);
    tools.note();
    expect(await waiting).toBe(true);
    expect(tools.isListed()).toBe(true);
  });

  it('does not wait for what was asked before [BX-17]', async () => {
    const tools = createToolsListed();
    tools.note();
    expect(await waitForTools(tools, alive, 60_000)).toBe(true);
  });

  it('waits neither without an end nor for a program that has ended [DL-05]', async () => {
    expect(await waitForTools(createToolsListed(), alive, 1)).toBe(false);
    const exited = Promise.resolve({ exitCode: 1, signal: null, diagnostic: '' });
    expect(await waitForTools(createToolsListed(), { exited }, 60_000)).toBe(false);
  });
});
