// hosted: long – database and bus carry main-job.test.ts, too
import type { Delivery, DeliveryStatus } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const post = (delivery: Delivery, action: 'retry' | 'cancel') =>
  stack.api.call('POST', `/deliveries/${delivery.id}/${action}`);
const statusesOf = ({ timeline }: Delivery) => timeline.map(({ status }) => status);

async function send({ session, agent }: Place, text: string, attachmentIds: string[] = []): Promise<Delivery> {
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text, attachmentIds });
  return deliveries[0];
}

async function reach(delivery: Delivery, status: DeliveryStatus): Promise<Delivery> {
  return stack.api.reached(delivery.id, status);
}

/** An agent whose turn does not end by itself, and a second message behind it. */
async function occupy(): Promise<Place & { first: Delivery; second: Delivery }> {
  const place = await stack.api.createSession();
  const first = await send(place, 'example: hang');
  await reach(first, 'written');
  const second = await send(place, 'the next one');
  await reach(second, 'prepared');
  return { ...place, first, second };
}

describe('messages to one agent', () => {
  it('are delivered one after the other, in the order in which they were accepted [DL-52 DL-61]', async () => {
    const place = await stack.api.createSession();
    const sent = [await send(place, 'example: slow 100'), await send(place, 'two'), await send(place, 'three')];
    const ended = await Promise.all(sent.map(({ id }) => stack.api.settled(id)));
    expect(ended.map(({ status }) => status)).toEqual(['responded', 'responded', 'responded']);
    const steps = (await stack.api.events(place.session.id))
      .filter(({ kind }) => ['delivery.claimed', 'delivery.written', 'delivery.responded'].includes(kind))
      .map(({ kind, data }) => [sent.findIndex(({ id }) => id === data.deliveryId), kind]);
    const expected = [0, 1, 2].flatMap((index) =>
      ['delivery.claimed', 'delivery.written', 'delivery.responded'].map((kind) => [index, kind]),
    );
    expect(steps).toEqual(expected);
  });

  it('do not wait for those of another agent', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ agents: 2 });
    const busy = await send({ session, agent }, 'example: hang');
    await reach(busy, 'written');
    const other = session.agents[1];
    if (!other) throw new Error('the session has one agent');
    expect(await takeTurn(api, { session, agent: other }, 'hello')).toMatchObject({
      delivery: { status: 'responded' },
    });
    expect((await api.delivery(busy.id)).status).toBe('written');
    await post(busy, 'cancel');
  });

  it('reach every agent that they name, each with a delivery of its own [DL-91]', async () => {
    const { api } = stack;
    const { session } = await api.createSession({ agents: 3 });
    const [first, second, third] = session.agents.map(({ id }) => id);
    const { deliveries } = await api.send(session.id, { to: [String(first), String(third)], text: 'hello' });
    const ended = await Promise.all(deliveries.map(({ id }) => api.settled(id)));
    expect(ended.map(({ agentId, status }) => [agentId, status])).toEqual([
      [first, 'responded'],
      [third, 'responded'],
    ]);
    const events = await api.events(session.id);
    expect(events.filter(({ kind, data }) => kind === 'agent.output' && data.agentId === second)).toEqual([]);
  });
});

describe('a delivery is cancelled', () => {
  it('before its first byte: it was never sent, and what comes after it continues', async () => {
    const { first, second, session, agent } = await occupy();
    const third = await send({ session, agent }, 'the last one');
    const answer = await post(second, 'cancel');
    expect(answer).toMatchObject({ status: 202, body: { delivery: { status: 'cancelled' } } });
    await post(first, 'cancel');
    expect((await stack.api.settled(third.id)).status).toBe('responded');
    const cancelled = await stack.api.delivery(second.id);
    expect(statusesOf(cancelled)).toEqual(['queued', 'prepared', 'cancelled']);
    expect(cancelled.timeline.at(-1)).toMatchObject({ code: 'delivery_cancelled', actor: { type: 'key' } });
    expect(cancelled.receipt).toBeUndefined();
    const events = await stack.api.events(session.id);
    expect(events.filter(({ kind, data }) => kind === 'delivery.written' && data.deliveryId === second.id)).toEqual([]);
  });

  it('after it was written: its turn is interrupted, and the runtime says how it ended [DL-61]', async () => {
    const { first, second } = await occupy();
    expect((await post(first, 'cancel')).status).toBe(202);
    const ended = await stack.api.settled(first.id);
    expect(statusesOf(ended).slice(0, 4)).toEqual(['queued', 'prepared', 'claimed', 'written']);
    expect(ended).toMatchObject({ status: 'responded', receipt: { proof: expect.stringContaining('cancelled') } });
    expect((await stack.api.settled(second.id)).status).toBe('responded');
  });

  it('after its end: it is too late', async () => {
    const place = await stack.api.createSession();
    const { delivery } = await takeTurn(stack.api, place, 'hello');
    expect(await post(delivery, 'cancel')).toMatchObject({ status: 409, body: { code: 'ALREADY_WRITTEN' } });
  });
});

describe('a delivery is tried again', () => {
  it('unedited and with its frozen plan, where that can mend it [DL-42 DL-82]', async () => {
    const place = await stack.api.createSession({ profile: 'scripted', model: 'script' });
    const { delivery: failed } = await takeTurn(stack.api, place, 'do: crash-once\ndo: process');
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'delivery_agent_crashed', retryable: true } });
    const retried = await post(failed, 'retry');
    expect(retried).toMatchObject({ status: 202, body: { delivery: { status: 'prepared', attempts: 2 } } });
    const ended = await stack.api.settled(failed.id);
    expect(ended).toMatchObject({ status: 'responded', attempts: 2, plan: failed.plan, messageId: failed.messageId });
    expect(ended.failure).toBeUndefined();
    expect(ended.timeline.map(({ status, attempt }) => [status, attempt])).toEqual([
      ...['queued', 'prepared', 'claimed', 'written', 'failed'].map((status) => [status, 1]),
      ...['queued', 'prepared', 'claimed', 'written', 'responded'].map((status) => [status, 2]),
    ]);
    const events = await stack.api.events(place.session.id);
    expect(events.filter(({ kind }) => kind === 'message.accepted')).toHaveLength(1);
    const told = events.filter(({ kind }) => kind.startsWith('delivery.'));
    expect(told.map(({ kind, data }) => [kind, (data as { attempt: number }).attempt])).toEqual([
      ...['prepared', 'claimed', 'written', 'failed'].map((status) => [`delivery.${status}`, 1]),
      ...['queued', 'prepared', 'claimed', 'written', 'responded'].map((status) => [`delivery.${status}`, 2]),
    ]);
  });

  it('not while it is under way, and not once it is done [DL-42]', async () => {
    const { first, second } = await occupy();
    for (const delivery of [first, second])
      expect(await post(delivery, 'retry')).toMatchObject({ status: 409, body: { code: 'NOT_RETRYABLE' } });
    await post(first, 'cancel');
    expect((await stack.api.settled(second.id)).status).toBe('responded');
    expect(await post(second, 'retry')).toMatchObject({ status: 409, body: { code: 'NOT_RETRYABLE' } });
  });

  it('not where only another message can mend it: its file was deleted meanwhile [DL-42 DL-40 DL-48]', async () => {
    const place = await stack.api.createSession();
    const first = await send(place, 'example: hang');
    const { attachment } = await stack.api.upload(place.session.id, makePng(30, 30));
    const second = await send(place, 'look', [attachment.id]);
    await reach(second, 'prepared');
    expect((await stack.api.call('DELETE', `/attachments/${attachment.id}`)).status).toBe(204);
    await post(first, 'cancel');
    const failed = await stack.api.settled(second.id);
    const failure = { code: 'attachment_missing', attachmentId: attachment.id, retryable: false };
    expect(failed).toMatchObject({ status: 'failed', failure });
    expect(statusesOf(failed)).not.toContain('written');
    const retried = await post(failed, 'retry');
    expect(retried).toMatchObject({ status: 409, body: { code: 'NOT_RETRYABLE' } });
    expect(retried.body.detail).toContain('attachment_missing');
  });
});

describe('a file that is deleted while its agent starts', () => {
  it('is not written: the delivery fails, and the agent never saw it [SR-28]', async () => {
    const { api } = stack;
    const place = await api.createSession({ profile: 'late', model: 'script' });
    const { attachment } = await api.upload(place.session.id, Buffer.from('a note'), {
      name: 'note.txt',
      type: 'text/plain',
    });
    const sent = await send(place, 'do: process', [attachment.id]);
    await api.reached(sent.id, 'claimed');
    expect((await api.call('DELETE', `/attachments/${attachment.id}`)).status).toBe(204);
    const ended = await api.settled(sent.id);
    expect(ended).toMatchObject({ status: 'failed', failure: { code: 'attachment_missing' } });
    expect(statusesOf(ended)).not.toContain('written');
    // The lane and the agent continue.
    expect((await takeTurn(api, place, 'do: process')).delivery.status).toBe('responded');
  });
});
