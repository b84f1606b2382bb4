// hosted: every – followers are woken over the bus
import type { SessionEvent } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { openLog } from '../steps/follow-log.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const followUntil = async (sessionId: string, kind: string, headers?: Record<string, string>) =>
  (await openLog(stack.api, sessionId, headers)).readUntil(kind);

const listPage = async (sessionId: string, query: string) => {
  const { body } = await stack.api.call('GET', `/sessions/${sessionId}/events?${query}`);
  return body as { items: SessionEvent[]; nextCursor: string | null };
};

describe('the session log as a list', () => {
  it('comes in pages that leave nothing out [SR-15]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    await takeTurn(api, place, 'hello');
    const whole = await api.events(place.session.id);
    const paged: SessionEvent[] = [];
    let cursor = '';
    do {
      const { items, nextCursor } = await listPage(place.session.id, `limit=3${cursor && `&cursor=${cursor}`}`);
      expect(items.length).toBeLessThanOrEqual(3);
      paged.push(...items);
      cursor = nextCursor ?? '';
    } while (cursor !== '');
    expect(paged).toEqual(whole);
    expect((await listPage(place.session.id, 'after=2')).items).toEqual(whole.slice(2));
  });

  it('refuses a place that it does not have', async () => {
    const { session } = await stack.api.createSession();
    for (const query of ['after=999', 'after=-1', 'after=x', 'cursor=x', 'limit=0', 'limit=99999']) {
      const answer = await stack.api.call('GET', `/sessions/${session.id}/events?${query}`);
      expect(answer, query).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    }
  });
});

describe('the session log as it grows', () => {
  it('is followed live: what was there, then what comes, each with its seq as id', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { attachment } = await api.upload(place.session.id, makePng(20, 20));
    await api.inspected(attachment.id);
    const followed = followUntil(place.session.id, 'delivery.responded');
    await takeTurn(api, place, 'look', [attachment.id]);
    const stored = (await followed).filter(({ event }) => event !== 'agent.delta');
    const log = await api.events(place.session.id);
    expect(stored.map(({ data }) => JSON.parse(data))).toEqual(log.slice(0, stored.length));
    expect(stored.map(({ id, event }) => [id, event])).toEqual(
      log.slice(0, stored.length).map(({ seq, kind }) => [String(seq), kind]),
    );
  });

  it('brings the agent’s words before they are finished, without an id', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { attachment } = await api.upload(place.session.id, makePng(20, 20, 2));
    await api.inspected(attachment.id);
    const followed = followUntil(place.session.id, 'delivery.responded');
    const { answer, delivery } = await takeTurn(api, place, 'example: slow 50', [attachment.id]);
    const deltas = (await followed).filter(({ event }) => event === 'agent.delta');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ id }) => id)).toEqual(deltas.map(() => undefined));
    const told = deltas.map(({ data }) => JSON.parse(data) as { kind: string; text: string; deliveryId: string });
    expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(['agent.delta']));
    expect(told.map(({ text }) => text).join('')).toBe(answer);
    expect(new Set(told.map(({ deliveryId }) => deliveryId))).toEqual(new Set([delivery.id]));
    expect((await api.events(place.session.id)).map(({ kind }) => String(kind))).not.toContain('agent.delta');
  });

  it('continues after the last event that the reader had [SR-15]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    await takeTurn(api, place, 'hello');
    const log = await api.events(place.session.id);
    const rest = await followUntil(place.session.id, 'delivery.responded', { 'last-event-id': '4' });
    const stored = rest.filter(({ event }) => event !== 'agent.delta');
    expect(stored.map(({ id }) => id)).toEqual(log.slice(4, 4 + stored.length).map(({ seq }) => String(seq)));
    expect(stored.at(-1)?.event).toBe('delivery.responded');
  });

  it('is not followed from a place that it does not have', async () => {
    const { session } = await stack.api.createSession();
    for (const id of ['999', '-1', 'abc', '1.5', '1e3']) {
      const headers = { accept: 'text/event-stream', 'last-event-id': id };
      const answer = await stack.api.call('GET', `/sessions/${session.id}/events`, { headers });
      expect(answer, id).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    }
  });
});
