import type { Database } from '@attache/database';
import { expect, it } from 'vitest';
import type { OwningDeps } from '../gateway-deps.ts';
import { createForwardGate } from './forward-gate.ts';

/** A gate whose database notes what it is asked, and answers when a test lets it. */
function given() {
  const asked: boolean[] = [];
  const answers: ((isHeld: boolean) => void)[] = [];
  const db = {
    call(statement: { queryChunks: unknown[] }) {
      const text = JSON.stringify(statement.queryChunks);
      asked.push(/isFirst[\\"]*:true/.test(text));
      return new Promise<boolean>((resolve) => void answers.push(resolve));
    },
  } as unknown as Database;
  const ownership = {
    step: (_session: unknown, work: (fence: object) => Promise<unknown>) => work({ incarnation: 'i', epoch: 1 }),
  } as unknown as OwningDeps['ownership'];
  const gate = createForwardGate({ db, ownership }, { tenantId: 't', sessionId: 's' }, 'a');
  return { gate, asked, answers };
}

it('notes the first request since a message was written, also of several at once, and no later one [DL-61]', async () => {
  const { gate, asked, answers } = given();
  gate.noteWriting();
  const both = [gate.allow(), gate.allow()];
  expect(asked).toEqual([true, true]);
  for (const answer of answers.splice(0)) answer(true);
  await Promise.all(both);
  const third = gate.allow();
  expect(asked).toEqual([true, true, false]);
  answers.pop()?.(true);
  await third;
  gate.noteWriting();
  const fourth = gate.allow();
  expect(asked.at(-1)).toBe(true);
  answers.pop()?.(true);
  await fourth;
});

it('lets nothing pass once the session has another owner, and notes again what was not noted [BX-16]', async () => {
  const { gate, asked, answers } = given();
  gate.noteWriting();
  const refused = gate.allow();
  answers.pop()?.(false);
  await expect(refused).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  const again = gate.allow();
  expect(asked).toEqual([true, true]);
  answers.pop()?.(true);
  await again;
});
