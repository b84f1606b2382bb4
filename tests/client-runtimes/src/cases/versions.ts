import { isAttacheError } from '@attache/client';
import type { Case } from '../context.ts';
import { expectEqual, expectTrue, rejectionOf, waitFor } from '../expect.ts';
import { makePicture, makeText } from '../files.ts';

const DAY_MS = 86_400_000;

export const versionCases: readonly Case[] = [
  {
    name: 'a newer server may send codes, events and fields that this client does not know',
    async run({ client, plant, openSession }) {
      const own = await openSession();
      const session = client.session(own.id);
      const problem = { code: 'SESSION_FROZEN', detail: 'Thaw it.', retryable: false, temperature: -5 };
      await plant(
        { method: 'POST', path: '/plan', does: 'answer', status: 409, body: JSON.stringify(problem) },
        {
          ...{ method: 'GET', path: `/sessions/${own.id}`, does: 'answer', status: 200 },
          body: JSON.stringify({ session: { ...own, mood: 'good' }, hint: 'new' }),
        },
      );
      const refused = await rejectionOf(session.plan({ to: [own.agents[0]?.id ?? ''], text: 'x' }));
      expectTrue(isAttacheError(refused) && !refused.isKnown, 'the code is not known');
      expectEqual(
        [(refused as { code: string }).code, (refused as Error).message],
        ['SESSION_FROZEN', 'Thaw it.'],
        'error',
      );
      expectEqual({ ...(await session.read()) }, { ...own, mood: 'good' }, 'the session');
      await plant({
        ...{ method: 'GET', path: '/events', does: 'answer', status: 200 },
        headers: { 'content-type': 'text/event-stream' },
        body: 'id: 1\nevent: agent.danced\ndata: {"kind":"agent.danced","seq":1}\n\n',
      });
      const { value } = await session.events().next();
      expectEqual(value, { kind: 'agent.danced', seq: 1 }, 'the event');
    },
  },
  {
    name: 'an older server without a policy gets images alone',
    async run({ client, plant, openSession }) {
      const problem = JSON.stringify({ code: 'ROUTE_NOT_FOUND', detail: 'There is no such route.', retryable: false });
      await plant({ method: 'GET', path: '/policy', does: 'answer', status: 404, body: problem, count: 9 });
      const draft = client.session((await openSession()).id).createDraft();
      const { rejected } = await draft.add([makePicture(), makeText('x', 'a.txt')]);
      expectEqual(
        rejected.map(({ name, code }) => [name, code]),
        [['a.txt', 'type']],
        'rejections',
      );
      await waitFor('the picture', () => draft.getSnapshot().referenceIds[0]);
      await plant();
    },
  },
  {
    name: 'a clock that is a day off changes nothing',
    async run({ client, openSession }) {
      const { id } = await openSession();
      for (const shiftMs of [DAY_MS, -DAY_MS]) {
        const restore = shiftDate(shiftMs);
        try {
          const session = client.session(id);
          const draft = session.createDraft();
          await draft.add([makePicture()]);
          const attachmentId = await waitFor('the picture', () => draft.getSnapshot().referenceIds[0]);
          const { deliveries } = await session.send({ text: 'Look.', attachmentIds: [attachmentId] });
          for await (const event of session.events())
            if (event.kind === 'delivery.responded' && event.data.deliveryId === deliveries[0]?.id) break;
        } finally {
          restore();
        }
      }
    },
  },
];

/** The time of this runtime, as it were that much later. Returns what undoes it. */
function shiftDate(shiftMs: number): () => void {
  const Real = Date;
  class Shifted extends Real {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [Real.now() + shiftMs] : given) as [number]));
    }
    static override now(): number {
      return Real.now() + shiftMs;
    }
  }
  globalThis.Date = Shifted as DateConstructor;
  return () => {
    globalThis.Date = Real;
  };
}
