import { idFromUuid, type OutputDelta } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { createLocalDoorbells } from './doorbells.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('createLocalDoorbells', () => {
  it('wakes who listens to the doorbell that rings, as long as they listen', async () => {
    const doorbells = createLocalDoorbells();
    const heard: string[] = [];
    const stop = doorbells.listen('log:a', () => heard.push('a'));
    doorbells.listen('log:b', () => heard.push('b'));
    doorbells.ring(['log:a', 'log:c']);
    await turn();
    expect(heard).toEqual(['a']);
    stop();
    doorbells.ring(['log:a', 'log:b']);
    await turn();
    expect(heard).toEqual(['a', 'b']);
  });

  it('passes deltas to the followers of their session alone, apart from rungNames', async () => {
    const doorbells = createLocalDoorbells();
    const delta: OutputDelta = { agentId: idFromUuid('agent', crypto.randomUUID()), type: 'text', text: 'Hel' };
    const seen: OutputDelta[] = [];
    const stop = doorbells.listenDeltas('a', (heard) => seen.push(heard));
    doorbells.sendDelta('a', delta);
    doorbells.sendDelta('b', delta);
    doorbells.ring(['delta:a']);
    await turn();
    expect(seen).toEqual([delta]);
    stop();
    doorbells.sendDelta('a', delta);
    expect(seen).toHaveLength(1);
  });
});
