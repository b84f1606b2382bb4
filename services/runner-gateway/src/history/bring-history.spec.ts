import type { DeliverRequest } from '@attache/agent-process';
import { idFromUuid, type Profile, type SessionEvent } from '@attache/contracts';
import { appendEvents, deleteAttachment, type NewEvent, readEvents, readNextDelivery } from '@attache/database';
import { createAgent, createAttachment, createDelivery, plantedFailure, takeFact } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Conduct, hostAgents, takeAndAnswer } from '../__fixtures__/inner-agents.ts';
import { type Fixture, openFixture, prepareTask } from '../__fixtures__/open-fixture.ts';
import { deliver } from '../deliver/deliver.ts';

/** One message to a process of its own. */
async function bring(fixture: Fixture, conduct: Conduct = {}, attachmentIds: readonly string[] = []) {
  await prepareTask(fixture, attachmentIds);
  return bringNext(fixture, conduct);
}

const takesImages = { image: true, audio: false, embeddedContext: false };

/** Delivers the waiting message to a process of its own. `profile`: for an agent whose program takes images. */
async function bringNext(fixture: Fixture, conduct: Conduct = {}, profile?: Partial<Profile>) {
  const next = await readNextDelivery(fixture.deps.db, fixture);
  if (!next) throw new Error('there is nothing to bring');
  const { deps, host, driver } = hostAgents(fixture, conduct, profile);
  const probes = profile ? new Map([['example', takesImages]]) : next.probes;
  await deliver(deps, fixture.session, { ...next, probes }, { onSteerable: () => undefined, onNext: () => undefined });
  await host.stopAll('shutdown');
  return { row: await fixture.readRow(next.row.id), requests: driver.started[0]?.requests ?? [] };
}

const textsOf = ({ parts }: DeliverRequest): string[] => parts.map((part) => ('text' in part ? part.text : part.type));

async function rebuildsOf({ deps, session }: Fixture): Promise<SessionEvent['data'][]> {
  await deps.ownership.settled(session);
  const all: SessionEvent[] = [];
  for (let page: SessionEvent[]; ; all.push(...page)) {
    page = await readEvents(deps.db, { ...session, afterSeq: all.at(-1)?.seq ?? 0, limit: 1_000 });
    if (page.length === 0) return all.filter(({ kind }) => kind === 'agent.rebuilt').map(({ data }) => data);
  }
}

const append = ({ deps, session, agentId }: Fixture, items: readonly string[]) =>
  deps.db.asTenant(session.tenantId, (tx) => {
    const actor = { type: 'agent', id: idFromUuid('agent', agentId) } as const;
    const events = items.map((text): NewEvent => {
      return { kind: 'agent.output', actor, data: { agentId: actor.id, item: { type: 'text', text } } };
    });
    return appendEvents(tx, session.sessionId, events);
  });

it('tells a process that remembers nothing what came before its message, and only then [SR-15 BX-26]', async () => {
  const fixture = await openFixture();
  const first = await bring(fixture);
  expect(first.requests.map(textsOf)).toEqual([['hello']]);
  await append(fixture, ['a good day to you']);
  const { requests, row } = await bring(fixture);
  expect(requests.map(textsOf)).toEqual([[expect.stringContaining('a good day to you'), 'hello']]);
  expect(row).toMatchObject({ status: 'responded', receipt: { continuedBy: 'rebuild' } });
  expect(first.row.receipt).toMatchObject({ continuedBy: 'fresh' });
  expect(await rebuildsOf(fixture)).toMatchObject([{ reason: 'no-transcript', messages: 1, omittedMessages: 0 }]);
});

it('counts what the process holds then: its history and its message', async () => {
  const fixture = await openFixture();
  const first = await bring(fixture);
  await append(fixture, ['x'.repeat(50_000)]);
  const { row } = await bring(fixture);
  expect((row.held?.bytes ?? 0) - (first.row.held?.bytes ?? 0)).toBeGreaterThan(50_000);
});

it('finds a message behind very many answers', async () => {
  const fixture = await openFixture();
  await bring(fixture);
  await append(
    fixture,
    Array.from({ length: 1_300 }, (_, index) => `answer ${index}.`),
  );
  const { requests } = await bring(fixture);
  const [block = ''] = textsOf(requests[0] as DeliverRequest);
  expect(block).toContain('\nhello\n');
  for (const words of ['answer 0.', 'answer 1299.']) expect(block).toContain(words);
  expect(await rebuildsOf(fixture)).toMatchObject([{ messages: 1, omittedMessages: 0 }]);
});

it('does not tell of answers that have no room, and counts their messages [SR-15]', async () => {
  const fixture = await openFixture();
  for (let turn = 1; turn <= 3; turn += 1) {
    await bring(fixture);
    // The last of them alone leaves no room for another.
    await append(
      fixture,
      Array.from({ length: 600 }, () => `turn ${turn} `.repeat(50)),
    );
  }
  await bring(fixture);
  expect((await rebuildsOf(fixture)).at(-1)).toMatchObject({ messages: 1, omittedMessages: 2 });
});

it('composes it again where one of its files is deleted before the first byte [SR-20]', async () => {
  const fixture = await openFixture();
  const { deps, tenantId } = fixture;
  const { attachmentId } = await createAttachment(deps.db, fixture);
  await bring(fixture, {}, [attachmentId]);
  let count = 0;
  const { requests, row } = await bring(fixture, {
    async takeTurn(request) {
      count += 1;
      if (count === 1) await deps.db.asTenant(tenantId, (tx) => deleteAttachment(tx, attachmentId));
      return takeAndAnswer(request);
    },
  });
  expect(row).toMatchObject({ status: 'responded', receipt: { continuedBy: 'rebuild' } });
  const [before = '', after = ''] = requests.map((request) => textsOf(request)[0]);
  expect(before).toContain('its content is not repeated');
  expect(after).toContain('it was deleted since');
  expect(await rebuildsOf(fixture)).toHaveLength(1);
});

it('repeats nothing of the message that is brought, where that is tried again', async () => {
  const fixture = await openFixture();
  await bring(fixture);
  const failure = { ...plantedFailure, retryable: true };
  const failed = await bring(fixture, {
    async takeTurn({ onWriting, onWritten }) {
      await onWriting();
      await onWritten();
      return { status: 'failed', failure };
    },
  });
  expect(failed.row).toMatchObject({ status: 'failed', writingAt: expect.any(Date) });
  await takeFact(fixture.deps.db, failed.row, { kind: 'retried', actor: { type: 'service', id: 'ingest' } });
  const queued = await fixture.readRow(failed.row.id);
  await takeFact(fixture.deps.db, queued, { kind: 'parts-built', parts: [{ type: 'text', text: 'hello' }] });
  const { row, requests } = await bringNext(fixture);
  expect(row).toMatchObject({ status: 'responded', attempts: 2 });
  const [block = ''] = textsOf(requests[0] as DeliverRequest);
  expect(block.match(/^hello$/gm)).toHaveLength(1);
  expect(block).not.toContain('removed');
  expect((await rebuildsOf(fixture)).at(-1)).toMatchObject({ messages: 1, omittedMessages: 0 });
});

it('describes a file that cannot be fetched any more, and brings the message [SR-15 SR-20]', async () => {
  const fixture = await openFixture();
  const { deps, tenantId, sessionId } = fixture;
  // A record without bytes.
  const { attachmentId } = await createAttachment(deps.db, fixture);
  const { row } = await bring(fixture, {}, [attachmentId]);
  const bytes = {
    attachmentId: idFromUuid('attachment', attachmentId),
    mimeType: 'image/png',
    sizeBytes: 9,
    sha256: 'ab'.repeat(32),
  };
  const parts = JSON.stringify([
    { type: 'text', text: 'hello' },
    { type: 'image', bytes },
  ]);
  const change = (statement: string) =>
    deps.db.asTenant(tenantId, async (tx) => void (await tx.execute(statement as never)));
  await change(`update delivery set parts = '${parts}' where id = '${row.id}'`);
  await change(`update session set replay_policy = '{"originals":"untilCompaction"}' where id = '${sessionId}'`);
  await prepareTask(fixture);
  const { requests } = await bringNext(fixture, {}, { capability: { image: true } });
  expect(textsOf(requests[0] as DeliverRequest)).toEqual([
    expect.stringContaining('its content is not repeated'),
    'hello',
  ]);
  expect(await rebuildsOf(fixture)).toMatchObject([{ messages: 1, keptOriginals: 0 }]);
});

it('tells less after each process that did not survive it, and all again once the agent has answered [SR-15]', async () => {
  const fixture = await openFixture();
  const { deps, session, agentId } = fixture;
  for (let turn = 1; turn <= 8; turn += 1) {
    await bring(fixture);
    await append(fixture, ['x'.repeat(40_000)]);
  }
  const stop = (reason: 'crashed' | 'context-full') =>
    deps.db.asTenant(session.tenantId, (tx) => {
      const data = { agentId: idFromUuid('agent', agentId), reason };
      const actor = { type: 'service', id: 'runner-gateway' } as const;
      return appendEvents(tx, session.sessionId, [{ kind: 'agent.stopped', actor, data }]);
    });
  const tellAfter = async (...reasons: ('crashed' | 'context-full')[]) => {
    for (const reason of reasons) await stop(reason);
    await bring(fixture);
    return (await rebuildsOf(fixture)).at(-1);
  };
  expect(await tellAfter()).toMatchObject({ messages: 8, omittedMessages: 0 });
  // The message that was just answered is part of it, too.
  expect(await tellAfter('context-full')).toMatchObject({ reason: 'context-full', messages: 3, omittedMessages: 6 });
  expect(await tellAfter('crashed', 'crashed')).toMatchObject({ reason: 'no-transcript', messages: 2 });
  expect(await tellAfter()).toMatchObject({ messages: 11, omittedMessages: 0 });
});

it('tells the texts that there are, however large those are that other agents of the session got', async () => {
  const fixture = await openFixture();
  const { deps, tenantId } = fixture;
  await bring(fixture);
  const other = { ...fixture, agentId: await createAgent(deps.db, fixture) };
  const { messageId } = await createDelivery(deps.db, other);
  const grow = `update message_text set text = repeat('y', 1300000) where message_id = '${messageId}'`;
  await deps.db.asTenant(tenantId, async (tx) => void (await tx.execute(grow as never)));
  const { requests } = await bring(fixture);
  const [block = ''] = textsOf(requests[0] as DeliverRequest);
  expect(block).toContain('\nhello\n');
  expect(block).not.toContain('removed');
});
