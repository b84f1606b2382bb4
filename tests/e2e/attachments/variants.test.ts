// hosted: every – a variant is stored by one process and read by another
import { makeNoisePng, makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

describe('a picture larger than the target takes', () => {
  it('becomes a resized variant, as planned and as the receipt says; the original stays [SR-02 SR-04 DL-16 DL-81 BX-13]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { attachment } = await api.upload(place.session.id, makePng(9_000, 300));
    const inspected = await api.inspected(attachment.id);
    const { delivery, answer } = await takeTurn(api, place, 'look', [attachment.id]);
    expect(delivery.plan.items).toMatchObject([
      {
        becomes: 'variant',
        recipe: { purpose: 'inline-image', maxEdgePixels: 8_000 },
        warnings: [{ code: 'image_resized' }],
      },
    ]);
    const [sent] = delivery.receipt?.items ?? [];
    expect(sent).toMatchObject({ form: 'variant', verdict: 'delivered', attachmentId: attachment.id });
    expect(sent?.sha256).not.toBe(attachment.sha256);
    expect(answer).toMatch(/image of 8000 × 26[67] pixels/);
    expect(answer).toContain(`sha256 ${sent?.sha256}`);
    const after = await api.inspected(attachment.id);
    const variant = after.variants.find(({ id }) => id === sent?.variantId);
    expect(variant).toMatchObject({ purpose: 'inline-image', width: 8_000, sha256: sent?.sha256 });
    expect(variant?.scale).toBeCloseTo(8_000 / 9_000, 3);
    expect(after).toMatchObject({ sha256: inspected.sha256, sizeBytes: inspected.sizeBytes, mimeType: 'image/png' });
  });

  it('is made once: the second delivery sends the same variant [DL-07]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { attachment } = await api.upload(place.session.id, makePng(8_500, 100));
    const first = await takeTurn(api, place, 'look', [attachment.id]);
    const second = await takeTurn(api, place, 'look again', [attachment.id]);
    expect(first.delivery.receipt?.items[0]?.variantId).toMatch(/^var_/);
    const sentBy = ({ delivery }: typeof first) => delivery.receipt?.items.map(({ proof: _own, ...sent }) => sent);
    expect(sentBy(second)).toEqual(sentBy(first));
  });

  it('is refused by code where the session allows no conversion', async () => {
    const { api } = stack;
    const agents = [{ name: 'painter', role: 'lead', target: { profile: 'example' } }];
    const { body } = await api.call('POST', '/sessions', { body: { agents, conversions: 'deny' } });
    const session = body.session as { id: string; agents: { id: string }[] };
    const { attachment } = await api.upload(session.id, makePng(9_000, 200));
    await api.inspected(attachment.id);
    const draft = { to: [session.agents[0]?.id], text: 'look', attachmentIds: [attachment.id] };
    const answer = await api.call('POST', `/sessions/${session.id}/messages`, { body: draft });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'DELIVERY_BLOCKED', failures: [{ code: 'attachment_conversion_denied', retryable: false }] },
    });
  });
});

describe('a profile whose lines are short', () => {
  it('gets a variant that fits its line [DL-62]', async () => {
    const { api } = stack;
    const place = await api.createSession({ profile: 'narrow' });
    const { attachment } = await api.upload(place.session.id, makeNoisePng(300_000));
    const { delivery, answer } = await takeTurn(api, place, 'look', [attachment.id]);
    expect(delivery).toMatchObject({ status: 'responded', plan: { items: [{ becomes: 'variant' }] } });
    expect(delivery.receipt?.items[0]?.sizeBytes).toBeLessThan(90_000);
    expect(answer).toContain(`sha256 ${delivery.receipt?.items[0]?.sha256}`);
    expect(delivery.plan.budget.lineBytes).toMatchObject({ limit: 120_000 });
  });

  it('is refused by code what does not fit, and its agent lives on [DL-62 DL-40]', async () => {
    const { api } = stack;
    const place = await api.createSession({ profile: 'slit' });
    const { attachment } = await api.upload(place.session.id, makeNoisePng(300_000));
    await api.inspected(attachment.id);
    const draft = { to: [place.agent.id], text: 'look', attachmentIds: [attachment.id] };
    const answer = await api.call('POST', `/sessions/${place.session.id}/messages`, { body: draft });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'DELIVERY_BLOCKED', failures: [{ code: 'attachment_serialized_payload_too_large' }] },
    });
    expect(await takeTurn(api, place, 'hello')).toMatchObject({ delivery: { status: 'responded' } });
    const events = await api.events(place.session.id);
    expect(events.filter(({ kind }) => kind === 'agent.stopped')).toEqual([]);
  });
});
