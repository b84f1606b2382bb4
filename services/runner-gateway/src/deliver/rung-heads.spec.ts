import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { type NextDelivery, readNextDelivery } from '@attache/database';
import { expect, it, vi } from 'vitest';
import { openFixture, prepareTask } from '../__fixtures__/open-fixture.ts';
import { openLanes } from '../__fixtures__/open-lanes.ts';

/** Lanes whose agent runs, the deliveries that it was given, and one that was prepared since. */
async function openWarmLanes() {
  const fixture = await openFixture();
  await prepareTask(fixture);
  const opened = openLanes(fixture);
  const wake = async (head?: NextDelivery) => {
    opened.lanes.wake(fixture.session, fixture.agentId, head);
    await vi.waitUntil(() => !opened.lanes.isBusy(fixture.sessionId), { timeout: 60_000 });
  };
  await wake();
  const { row } = await prepareTask(fixture);
  const head = await readNextDelivery(fixture.deps.db, fixture);
  if (!head) throw new Error('nothing waits');
  const readTaken = () => opened.driver.started.flatMap(({ requests }) => requests.map(({ parts }) => parts));
  return { ...opened, fixture, wake, row, rung: { ...head, isRung: true } as const, readTaken };
}

it('takes what came with a ring without a look of its own, and once if it comes again', async () => {
  const { fixture, wake, row, rung, host } = await openWarmLanes();
  fixture.takeRoundTrips();
  await wake(rung);
  // Its mark, written and responded.
  expect(fixture.takeRoundTrips()).toBe(3);
  await wake(rung);
  expect((await fixture.readRow(row.id)).status).toBe('responded');
  // That of the first message, and its own.
  expect((await fixture.readEvents()).filter(({ kind }) => kind === 'delivery.claimed')).toHaveLength(2);
  await host.stopAll('shutdown');
});

it('leaves what came with a ring, and reads it, where its agent has no process', async () => {
  const { fixture, wake, row, rung, host } = await openWarmLanes();
  await host.stopAll('shutdown');
  await wake({ ...rung, row: { ...rung.row, parts: [{ type: 'text', text: 'planted' }] } });
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'responded', attempts: 1 });
  await host.stopAll('shutdown');
});

const foreign = {
  ...{ attachmentId: idFromUuid('attachment', randomUUID()), mimeType: 'text/plain', sizeBytes: 4 },
  sha256: '0'.repeat(64),
};

it.each([
  ['another text', [{ type: 'text', text: 'planted' }]],
  ['a file that is not there', [{ type: 'text-file', name: 'a.txt', bytes: foreign }]],
] as const)('brings what the database has where a ring said %s', async (_, parts) => {
  const { fixture, wake, row, rung, readTaken, host } = await openWarmLanes();
  await wake({ ...rung, row: { ...rung.row, parts: [...parts] } });
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'responded', attempts: 1 });
  // An agent is asked before its first byte is confirmed: a delivery that differs from its ring does not reach it.
  expect(readTaken().at(-1)).toEqual([{ type: 'text', text: 'hello' }]);
  await host.stopAll('shutdown');
});
