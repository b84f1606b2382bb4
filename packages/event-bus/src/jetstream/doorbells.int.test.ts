import { randomUUID } from 'node:crypto';
import { deltaSubjectOf, idFromUuid, logBellSubjectOf, type OutputDelta, type SessionEvent } from '@attache/contracts';
import type { OwnNats } from '@attache/test-servers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { missing, openLink, startOwnNats } from '../../contract/jetstream-backends.contract.ts';
import type { Doorbells } from '../doorbells.ts';
import { createNatsDoorbells } from './doorbells.ts';
import type { JetstreamLink } from './link.ts';

const WAIT = { timeout: 60_000, interval: 10 };

const delta = (text: string): OutputDelta => ({ agentId: idFromUuid('agent', randomUUID()), type: 'text', text });

const eventOf = (seq: number, text = ''): SessionEvent => ({
  ...{ id: idFromUuid('event', randomUUID()), seq, at: '2026-01-01T00:00:00.000Z', kind: 'agent.output' },
  ...{ actor: { type: 'service', id: 'runner-gateway' }, traceId: 't', schemaVersion: 1, data: { text } },
});

describe.skipIf(missing)(missing ? `doorbells over NATS: ${missing}` : 'doorbells over NATS', () => {
  let nats: OwnNats;
  let links: [JetstreamLink, JetstreamLink];
  let here: Doorbells;
  let there: Doorbells;
  const sessionId = randomUUID();
  const doorbell = `log:${sessionId}`;

  beforeAll(async () => {
    nats = await startOwnNats();
  });
  afterAll(() => nats.stop());
  beforeEach(async () => {
    links = [await openLink(nats, 'ingest'), await openLink(nats, 'runner-gateway')];
    here = createNatsDoorbells({ link: links[0], publisher: 'ingest' });
    there = createNatsDoorbells({ link: links[1], publisher: 'runner-gateway' });
  });

  /** Waits until everything that was sent so far has arrived. */
  const settle = async () => {
    for (const { nc } of [...links, ...links]) await nc.flush();
    await new Promise((resolve) => setImmediate(resolve));
  };

  it('wake who listens to a session log in another process and in this one, once each', async () => {
    const [heardHere, heardThere] = [vi.fn(), vi.fn()];
    here.listen(doorbell, heardHere);
    there.listen(doorbell, heardThere);
    await settle();
    there.ring([doorbell, `log:${randomUUID()}`]);
    await settle();
    await vi.waitFor(() => expect(heardHere).toHaveBeenCalledOnce(), WAIT);
    expect(heardThere).toHaveBeenCalledOnce();
  });

  it('keep the rungNames of the outbox in their process', async () => {
    const [heardHere, heardThere] = [vi.fn(), vi.fn()];
    here.listen('outbox:attachment.added', heardHere);
    there.listen('outbox:attachment.added', heardThere);
    const sent = vi.spyOn(links[0].nc, 'publish');
    here.ring(['outbox:attachment.added']);
    await settle();
    expect(heardHere).toHaveBeenCalledOnce();
    expect(heardThere).not.toHaveBeenCalled();
    expect(sent).not.toHaveBeenCalled();
  });

  it('follow a session once for all who listen to it here, and no longer than they do', async () => {
    const subscribed = vi.spyOn(links[0].nc, 'subscribe');
    const stops = Array.from({ length: 5 }, () => here.listen(doorbell, () => {}));
    expect(subscribed.mock.calls.map(([subject]) => subject)).toEqual([logBellSubjectOf(sessionId)]);
    const subscription = subscribed.mock.results[0]?.value;
    for (const stop of stops.slice(1)) {
      stop();
      stop();
    }
    expect(subscription.isClosed()).toBe(false);
    stops[0]?.();
    expect(subscription.isClosed()).toBe(true);
    here.listen(doorbell, () => {});
    expect(subscribed).toHaveBeenCalledTimes(2);
  });

  it('bring token deltas to the followers of their session in order, and leave out what is too large or none', async () => {
    const seen: OutputDelta[] = [];
    here.listenDeltas(sessionId, (heard) => seen.push(heard));
    await settle();
    const sent = [delta('Hel'), delta('lo')];
    there.sendDelta(randomUUID(), delta('foreign'));
    there.sendDelta(sessionId, delta('x'.repeat(70_000)));
    for (const rubbish of ['{', '{}', JSON.stringify({ ...delta('no'), type: 'image' })]) {
      links[1].nc.publish(deltaSubjectOf(sessionId), rubbish);
    }
    for (const one of sent) there.sendDelta(sessionId, one);
    await settle();
    await vi.waitFor(() => expect(seen).toEqual(sent), WAIT);
  });

  it('bring live events among the deltas of their session, before the doorbell that says up to which, and leave out what is too large', async () => {
    const heard: unknown[] = [];
    here.listenDeltas(sessionId, ({ text }) => heard.push(text));
    here.listenEvents(sessionId, ({ events }) => heard.push(events.map(({ seq }) => seq)));
    const rung = vi.fn();
    here.listen(doorbell, rung);
    await settle();
    const tenantId = randomUUID();
    there.sendDelta(sessionId, delta('a word'));
    there.sendEvents(sessionId, {
      tenantId,
      events: [eventOf(1), eventOf(2), eventOf(3, 'x'.repeat(70_000)), eventOf(4)],
    });
    there.sendEvents(randomUUID(), { tenantId, events: [eventOf(5)] });
    there.sendDelta(sessionId, delta('another'));
    await settle();
    await vi.waitFor(() => expect(heard).toEqual(['a word', [1, 2], [4], 'another']), WAIT);
    await vi.waitFor(() => expect(rung.mock.calls).toEqual([[4]]), WAIT);
    there.ring([doorbell]);
    await settle();
    await vi.waitFor(() => expect(rung.mock.calls).toEqual([[4], [undefined]]), WAIT);
  });

  it('send live events to who listens in their own process as they are, once', async () => {
    const heard = vi.fn();
    there.listenEvents(sessionId, heard);
    const live = { tenantId: randomUUID(), events: [eventOf(1, 'x'.repeat(70_000))] };
    there.sendEvents(sessionId, live);
    await settle();
    expect(heard.mock.calls).toEqual([[live]]);
  });

  it('lose what is rung while NATS is down, and nothing later', async () => {
    const heard = vi.fn();
    here.listen(doorbell, heard);
    await nats.kill();
    await vi.waitUntil(() => links.every((link) => !link.isConnected()), WAIT);
    there.ring([doorbell]);
    await nats.start();
    await vi.waitUntil(() => links.every((link) => link.isConnected()), WAIT);
    await settle();
    expect(heard).not.toHaveBeenCalled();
    there.ring([doorbell]);
    await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce(), WAIT);
  });
});
