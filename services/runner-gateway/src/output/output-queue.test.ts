import { describe, expect, it } from 'vitest';
import { createOutputQueue } from './output-queue.ts';
import { openTurn } from './output-sink.ts';

/** A log that takes events when it is told to, or refuses them. */
function given() {
  const waiting: { open(): void; refuse(): void }[] = [];
  const turn = openTurn({ deliveryId: 'dlv_AAAAAAAAAAAAAAAAAAAAAA', trace: undefined });
  const write = () =>
    new Promise<{ outcome: 'written' }>((resolve, reject) => {
      waiting.push({
        open: () => resolve({ outcome: 'written' }),
        refuse: () => reject(new Error('it cannot be stored')),
      });
    });
  const sink = { session: { tenantId: 't', sessionId: 's' }, agentId: 'a', currentTurn: () => turn };
  return { waiting, turn, say: createOutputQueue({ write }, sink) };
}

describe('the output of an agent', () => {
  it('waits for no commit, until 32 of them are waited for', async () => {
    const { waiting, say } = given();
    for (let n = 0; n < 31; n += 1) await say([]);
    let isTaken = false;
    const last = say([]).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([waiting.length, isTaken]).toEqual([32, false]);
    for (const { open } of waiting) open();
    await last;
    await say([]);
    expect(waiting).toHaveLength(33);
  });

  it('waits for a commit at once where it is large, so that nothing large is kept twice', async () => {
    const { waiting, say } = given();
    const text = 'x'.repeat(1024 * 1024);
    const actor = { type: 'agent', id: 'agt_AAAAAAAAAAAAAAAAAAAAAA' } as const;
    const data = { agentId: actor.id, item: { type: 'text', text } } as const;
    let isTaken = false;
    const said = say([{ kind: 'agent.output', actor, data }]).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    waiting[0]?.open();
    await said;
    await say([]);
  });

  it('that could not be written is known to its turn, and ends what comes later', async () => {
    const { waiting, turn, say } = given();
    await say([]);
    expect(turn.lostOutput).toBeUndefined();
    waiting[0]?.refuse();
    await expect.poll(() => turn.lostOutput).toMatchObject({ error: { message: 'it cannot be stored' } });
    await expect(say([])).rejects.toThrow('it cannot be stored');
    expect(waiting).toHaveLength(1);
  });
});
