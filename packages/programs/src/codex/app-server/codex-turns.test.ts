import type { DeliverRequest } from '@attache/agent-process';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import { expect, it } from 'vitest';
import { createCodexTurns } from './codex-turns.ts';

const request = { deliveryId: 'dlv_1', parts: [] } as unknown as DeliverRequest;
const naming = (id: string): Answer => ({ status: 'result', result: { turn: { id } } });
const completed = (id: string) => ({ id, status: 'completed' });

it('a turn that was ended ends no later one, though that has no name yet [W17]', async () => {
  const turns = createCodexTurns(async () => false);
  const first = turns.endOf(Promise.resolve(naming('turn-1')), request, false);
  turns.name('turn-1');
  turns.end(completed('turn-1'));
  expect(await first).toMatchObject({ status: 'ended' });

  const named = Promise.withResolvers<Answer>();
  const second = turns.endOf(named.promise, request, false);
  expect(turns.end(completed('turn-1'))).toBe('stale');
  named.resolve(naming('turn-2'));
  turns.name('turn-2');
  expect(turns.end(completed('turn-1'))).toBe('stale');
  expect(turns.end(completed('turn-2'))).not.toBe('stale');
  expect(await second).toMatchObject({ status: 'ended', proof: expect.stringContaining('turn-2') });
});
