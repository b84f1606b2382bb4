import type { DriverHooks } from '@attache/agent-process';
import type { TurnEnd } from '@attache/agent-process/protocol';
import { createTurnKeeper } from '@attache/agent-process/turns/turn-state';
import type { DeliveryId, Part } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { createPiSession } from './pi-session.ts';

const deliveryId: DeliveryId = 'dlv_ABEiM0RVZneImaq7zN3u_w';
const picture = [{ type: 'image' }] as unknown as Part[];
const words: Part[] = [{ type: 'text', text: 'And now?' }];
const hooks = { onOutput: async () => undefined, onDelta: () => undefined } as unknown as DriverHooks;
const refusal = { role: 'assistant', content: [], stopReason: 'error', errorMessage: '400: bad picture' };
const answer = { role: 'assistant', content: [], stopReason: 'toolUse' };

/** A conversation; each turn is given by the messages of its model. */
function converse() {
  const session = createPiSession({ hooks, turns: createTurnKeeper(), incomingLineBytes: 1_000 });
  return async (parts: readonly Part[], ...messages: object[]): Promise<TurnEnd> => {
    const end = session.expectEnd(deliveryId, parts);
    for (const message of messages) await session.take({ type: 'message_end', message });
    await session.take({ type: 'agent_settled' });
    return end;
  };
}

describe('a turn of pi that was refused', () => {
  it('after a refused picture is spoiled by it: the picture goes out again [BX-01]', async () => {
    const turn = converse();
    expect(await turn(picture, refusal)).not.toHaveProperty('isSpoiled');
    expect(await turn(words, refusal)).toMatchObject({ isSpoiled: true });
  });

  it('is not laid to a picture that its model had answered before', async () => {
    const turn = converse();
    expect(await turn(picture, answer, refusal)).toMatchObject({ status: 'failed' });
    expect(await turn(words, refusal)).not.toHaveProperty('isSpoiled');
  });
});
