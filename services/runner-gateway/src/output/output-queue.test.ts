import { describe, expect, it } from 'vitest';
import { createOutputQueue } from './output-queue.ts';
import { openTurn } from './output-sink.ts';

/** A log that takes events, or refuses them, when a test says so. */
function given() {
  const waiting: { open(): void; refuse(): void }[] = [];
  const turn = openTurn({ deliveryId: 'dlv_AAAAAAAAAAAAAAAAAAAAAA', trace: undefined });
  const log = {
    isFull: false,
    write: () =>
      new Promise<{ outcome: 'written' }>((resolve, reject) => {
        waiting.push({
          open: () => resolve({ outcome: 'written' }),
          refuse: () => reject(new Error('it cannot be stored')),
        });
      }),
    hasRoom: () => !log.isFull,
  };
  const sink = { session: { tenantId: 't', sessionId: 's' }, agentId: 'a', currentTurn: () => turn };
  return { waiting, turn, log, say: createOutputQueue(log, sink) };
}

describe('the output of an agent', () => {
  it('waits for no commit while its session has room, and for its own where that is full', async () => {
    const { waiting, log, say } = given();
    for (let n = 0; n < 40; n += 1) await say([]);
    log.isFull = true;
    let isTaken = false;
    const last = say([]).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([waiting.length, isTaken]).toEqual([41, false]);
    for (const { open } of waiting) open();
    await last;
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

  it('that waited for its commit is refused with it', async () => {
    const { waiting, log, say } = given();
    log.isFull = true;
    const said = say([]);
    waiting[0]?.refuse();
    await expect(said).rejects.toThrow('it cannot be stored');
  });
});
