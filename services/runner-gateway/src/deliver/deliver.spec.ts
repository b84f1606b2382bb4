import type { DeliverRequest } from '@attache/agent-process';
import { type Failure, Fault, uuidFromId } from '@attache/contracts';
import { readNextDelivery } from '@attache/database';
import { plantedFailure, takeFact } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { answered, type Conduct, hostAgents, takeAndAnswer } from '../__fixtures__/inner-agents.ts';
import { type Fixture, openFixture, prepareTask, readAgent } from '../__fixtures__/open-fixture.ts';
import { type DeliverDeps, deliver } from './deliver.ts';
import { cancelUnwritten } from './record-delivery.ts';

async function bring(fixture: Fixture, conduct: Conduct = {}, change: Partial<DeliverDeps> = {}) {
  const { row } = await prepareTask(fixture);
  const next = await readNextDelivery(fixture.deps.db, fixture);
  if (!next) throw new Error('there is nothing to bring');
  const hosted = hostAgents(fixture, conduct);
  await deliver({ ...hosted.deps, ...change }, fixture.session, next, {
    onSteerable: () => undefined,
    onNext: () => undefined,
  });
  await hosted.host.stopAll('shutdown');
  return { row: await fixture.readRow(row.id), driver: hosted.driver };
}

const rowOf = (fixture: Fixture, { deliveryId }: DeliverRequest) => fixture.readRow(uuidFromId(deliveryId));
const kindsOf = async (fixture: Fixture) => (await fixture.readEvents()).map(({ kind }) => kind).slice(1);

it('brings a delivery to its agent, which is idle afterwards [DL-61]', async () => {
  const fixture = await openFixture();
  const { row, driver } = await bring(fixture);
  expect(row).toMatchObject({ status: 'responded', receipt: { proof: 'its answer', transport: 'acp/stdio' } });
  expect(driver.started[0]?.requests).toMatchObject([{ parts: [{ type: 'text', text: 'hello' }] }]);
  expect(await kindsOf(fixture)).toEqual([
    ...['delivery.claimed', 'agent.started', 'delivery.written', 'delivery.responded', 'agent.stopped'],
  ]);
});

it('notes each step of a turn as it is taken: a byte may be out before it is written, and its agent is busy [W16]', async () => {
  const fixture = await openFixture();
  const seen: unknown[] = [];
  const look = async (request: DeliverRequest) => {
    const { status, writingAt } = await rowOf(fixture, request);
    seen.push([status, writingAt !== null, (await readAgent(fixture)).status]);
  };
  await bring(fixture, {
    async takeTurn(request) {
      await look(request);
      await request.onWriting();
      await look(request);
      await request.onWritten();
      await look(request);
      return answered;
    },
  });
  expect(seen).toEqual([
    ['claimed', false, 'busy'],
    ['claimed', true, 'busy'],
    ['written', true, 'busy'],
  ]);
});

it('claims what comes to an agent that runs in the step that notes its first byte, and until then it can be cancelled [DL-61 W16]', async () => {
  const fixture = await openFixture();
  const seen: unknown[] = [];
  const { deps, host } = hostAgents(fixture, {
    async takeTurn(request) {
      const look = async () => {
        const { status, writingAt, held } = await rowOf(fixture, request);
        seen.push([status, writingAt !== null, held !== null, (await readAgent(fixture)).status]);
      };
      await look();
      await request.onWriting();
      await look();
      await request.onWritten();
      return answered;
    },
  });
  for (let turn = 0; turn < 2; turn += 1) {
    await prepareTask(fixture);
    const next = await readNextDelivery(fixture.deps.db, fixture);
    if (!next) throw new Error('there is nothing to bring');
    await deliver(deps, fixture.session, next, { onSteerable: () => undefined, onNext: () => undefined });
  }
  await host.stopAll('shutdown');
  expect(seen).toEqual([
    ['claimed', false, false, 'busy'],
    ['claimed', true, true, 'busy'],
    ['prepared', false, false, 'idle'],
    ['claimed', true, true, 'busy'],
  ]);
  expect((await kindsOf(fixture)).filter((kind) => kind.startsWith('delivery.'))).toEqual([
    ...['delivery.claimed', 'delivery.written', 'delivery.responded'],
    ...['delivery.claimed', 'delivery.written', 'delivery.responded'],
  ]);
});

it('brings a small delivery to an agent that runs, and records its answer, in three commits', async () => {
  const fixture = await openFixture();
  const calls: number[] = [];
  const { deps, host } = hostAgents(fixture, {
    async takeTurn(request, { hooks }) {
      fixture.takeRoundTrips();
      await request.onWriting();
      // As a program that answers while the record of its prompt is in progress.
      const written = request.onWritten();
      for (const text of ['one', 'two']) await hooks.onOutput({ type: 'text', text });
      await written;
      return answered;
    },
  });
  for (let turn = 0; turn < 2; turn += 1) {
    await prepareTask(fixture);
    const next = await readNextDelivery(fixture.deps.db, fixture);
    if (!next) throw new Error('there is nothing to bring');
    await deliver(deps, fixture.session, next, { onSteerable: () => undefined, onNext: () => undefined });
    calls.push(fixture.takeRoundTrips());
  }
  await host.stopAll('shutdown');
  // The first byte; `written`; what was said, with the response.
  expect(calls).toEqual([3, 3]);
});

it('records no answer of which a part is not in the log [DL-61]', async () => {
  const fixture = await openFixture();
  const { row } = await bring(fixture, {
    async takeTurn(request, { hooks }) {
      await request.onWriting();
      await request.onWritten();
      await hooks.onOutput({ type: 'text', text: 'kept' });
      // No text of the database may hold this character.
      await hooks.onOutput({ type: 'text', text: 'lost \u0000' });
      return answered;
    },
  });
  expect(row).toMatchObject({ status: 'failed', failure: { code: 'delivery_runtime_transport_failed' } });
  expect(await kindsOf(fixture)).not.toContain('delivery.responded');
});

it('writes once more what was refused as part of a turn, and says so once', async () => {
  const fixture = await openFixture();
  const { row } = await bring(fixture, {
    async takeTurn(request) {
      await request.onWriting();
      await request.onWritten();
      await request.onWriting();
      return answered;
    },
  });
  expect(row.status).toBe('responded');
  expect((await kindsOf(fixture)).filter((kind) => kind === 'delivery.written')).toHaveLength(1);
});

it.each<[string, Conduct, Failure['code'], string[]]>([
  ['whose agent does not start', { startFailure: plantedFailure }, plantedFailure.code, []],
  [
    'whose turn fails',
    { takeTurn: async () => ({ status: 'failed', failure: plantedFailure }) },
    plantedFailure.code,
    ['agent.started'],
  ],
  [
    'whose driver throws',
    { takeTurn: () => Promise.reject(new Error('broken')) },
    'delivery_runtime_transport_failed',
    ['agent.started'],
  ],
])('fails a delivery %s, by code, and lets its agent continue', async (_, conduct, code, between) => {
  const fixture = await openFixture();
  const { row } = await bring(fixture, conduct);
  expect(row).toMatchObject({ status: 'failed', failure: { code } });
  expect((await kindsOf(fixture)).filter((kind) => kind !== 'agent.stopped')).toEqual([
    ...['delivery.claimed', ...between, 'delivery.failed'],
  ]);
  expect((await readAgent(fixture)).status).not.toBe('busy');
});

it('forgets what the agent holds of a turn that its runtime took out again [BX-01]', async () => {
  const fixture = await openFixture();
  const { row } = await bring(fixture, {
    async takeTurn(request) {
      await takeAndAnswer(request);
      return { status: 'failed', failure: plantedFailure, isForgotten: true };
    },
  });
  expect(row).toMatchObject({ status: 'failed', held: { bytes: 0 } });
});

it('begins a process for a delivery that is tried again, if the conversation holds its failed turn [DL-42 DL-84]', async () => {
  const fixture = await openFixture();
  const failure = { ...plantedFailure, retryable: true };
  let isFailing = true;
  const { deps, host, driver } = hostAgents(fixture, {
    resumeReference: 'talk-1',
    async takeTurn(request) {
      await takeAndAnswer(request);
      return isFailing ? { status: 'failed', failure } : answered;
    },
  });
  const bringNext = async () => {
    const next = await readNextDelivery(fixture.deps.db, fixture);
    if (!next) throw new Error('there is nothing to bring');
    await deliver(deps, fixture.session, next, { onSteerable: () => undefined, onNext: () => undefined });
    return fixture.readRow(next.row.id);
  };
  const { row } = await prepareTask(fixture);
  const failed = await bringNext();
  isFailing = false;
  await takeFact(fixture.deps.db, failed, { kind: 'retried', actor: { type: 'service', id: 'ingest' } });
  const parts = row.parts ?? [];
  await takeFact(fixture.deps.db, await fixture.readRow(row.id), { kind: 'parts-built', parts });
  // It was the first message: there is no history to tell.
  expect(await bringNext()).toMatchObject({ status: 'responded', receipt: { continuedBy: 'fresh' } });
  await host.stopAll('shutdown');
  expect(driver.started.map(({ spec }) => spec.resumeReference)).toEqual([undefined, undefined]);
  const stops = (await fixture.readEvents()).filter(({ kind }) => kind === 'agent.stopped');
  expect(stops[0]?.data).toMatchObject({ reason: 'message-retried' });
});

it('writes nothing of a delivery that was cancelled while its agent started [W16]', async () => {
  const fixture = await openFixture();
  let isWritten = false;
  const { row } = await bring(fixture, {
    async takeTurn(request) {
      await cancelUnwritten(fixture.deps, fixture.session, await rowOf(fixture, request));
      await request.onWriting();
      isWritten = true;
      return takeAndAnswer(request);
    },
  });
  expect([row.status, isWritten]).toEqual(['cancelled', false]);
  expect(await kindsOf(fixture)).not.toContain('delivery.failed');
});

it('leaves what a stopping gateway cut off to its next life [DL-61]', async () => {
  const fixture = await openFixture();
  const cut: Conduct = {
    async takeTurn({ onWriting, onWritten }) {
      await onWriting();
      await onWritten();
      return { status: 'failed', failure: plantedFailure };
    },
  };
  const { row } = await bring(fixture, cut, { isDraining: () => true });
  expect(row).toMatchObject({ status: 'written', failure: null });
});

it('does nothing with a delivery that someone else moved first', async () => {
  const fixture = await openFixture();
  await prepareTask(fixture);
  const next = await readNextDelivery(fixture.deps.db, fixture);
  if (!next) throw new Error('there is nothing to bring');
  await cancelUnwritten(fixture.deps, fixture.session, next.row);
  const { deps, driver } = hostAgents(fixture);
  await deliver(deps, fixture.session, next, { onSteerable: () => undefined, onNext: () => undefined });
  expect(driver.started).toEqual([]);
});

const away = new Fault('DATABASE_UNAVAILABLE', 'The database does not answer.', { retryable: true });

it('gives a delivery back of which nothing was written where the database went away meanwhile [W15 DL-61]', async () => {
  const fixture = await openFixture();
  const { row } = await bring(fixture, { takeTurn: () => Promise.reject(away) });
  expect(row).toMatchObject({ status: 'prepared', failure: null, writingAt: null });
  expect(await kindsOf(fixture)).toContain('delivery.queued');
});

it('does not know what came of a delivery whose first byte was out when the database went away [W15 DL-61]', async () => {
  const fixture = await openFixture();
  const { row } = await bring(fixture, {
    async takeTurn(request) {
      await request.onWriting();
      throw away;
    },
  });
  expect(row).toMatchObject({ status: 'failed', failure: { code: 'delivery_outcome_unknown' } });
});
