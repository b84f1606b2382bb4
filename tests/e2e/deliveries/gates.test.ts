// hosted: long – the gate is a pure function of rows that are the same on both stacks
import type { DeliveryPlan, Failure } from '@attache/contracts';
import { makePng, makePngHeader } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

type Refusal = { code: string; detail: string; failures: Failure[]; plans: DeliveryPlan[] };

async function tryToSend(sessionId: string, to: string[], attachmentIds: string[]) {
  const body = { to, text: 'What do you see?', attachmentIds };
  return stack.api.call<Refusal>('POST', `/sessions/${sessionId}/messages`, { body });
}

async function kindsOf(sessionId: string): Promise<string[]> {
  return (await stack.api.events(sessionId)).map(({ kind }) => kind);
}

describe('a model that takes no images', () => {
  it('blocks the message before anything is sent, with code, reason and plan [DL-06 DL-08 DL-38 DL-12]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ model: 'example-text' });
    const { attachment } = await api.upload(session.id, makePng(20, 20));
    await api.inspected(attachment.id);
    const { status, body } = await tryToSend(session.id, [agent.id], [attachment.id]);
    expect([status, body.code]).toEqual([422, 'DELIVERY_BLOCKED']);
    expect(body.failures).toMatchObject([
      {
        code: 'attachment_model_vision_unsupported',
        severity: 'error',
        attachmentId: attachment.id,
        agentId: agent.id,
        model: 'example-text',
        retryable: false,
      },
    ]);
    expect(body.failures[0]?.userMessage).toContain('example-text');
    expect(body.detail).toContain(String(body.failures[0]?.userMessage));
    const checks = { decode: 'yes', transport: 'yes', model: 'no', prepare: 'unknown' };
    expect(body.plans).toMatchObject([{ decision: 'blocked', items: [{ becomes: 'blocked', checks }] }]);
  });

  it('blocks the whole message: nothing is stored as sent [DL-21]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ model: 'example-text' });
    const { attachment } = await api.upload(session.id, makePng(20, 20));
    const note = new Uint8Array(Buffer.from('a note'));
    const text = await api.upload(session.id, note, { name: 'note.txt', type: 'text/plain' });
    await Promise.all([api.inspected(attachment.id), api.inspected(text.attachment.id)]);
    const before = await kindsOf(session.id);
    expect((await tryToSend(session.id, [agent.id], [attachment.id, text.attachment.id])).status).toBe(422);
    await takeTurn(api, { session, agent }, 'only words', [text.attachment.id]);
    const after = (await kindsOf(session.id)).slice(before.length);
    expect(after.filter((kind) => kind === 'message.accepted' || kind === 'delivery.prepared')).toEqual([
      'message.accepted',
      'delivery.prepared',
    ]);
    expect(after.indexOf('message.accepted')).toBe(0);
  });

  it('blocks all recipients when one of them cannot take it, and names that one [DL-55]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const added = await api.call('POST', `/sessions/${session.id}/agents`, {
      body: { name: 'reader', role: 'member', target: { profile: 'example', model: 'example-text' } },
    });
    const reader = (added.body.agent as { id: string }).id;
    const { attachment } = await api.upload(session.id, makePng(20, 20));
    await api.inspected(attachment.id);
    const { status, body } = await tryToSend(session.id, [agent.id, reader], [attachment.id]);
    expect(status).toBe(422);
    expect(body.failures.map(({ agentId }) => agentId)).toEqual([reader]);
    expect(body.plans.map(({ agentId, decision }) => [agentId, decision])).toEqual([
      [agent.id, 'deliver'],
      [reader, 'blocked'],
    ]);
    expect(await kindsOf(session.id)).not.toContain('message.accepted');
  });
});

describe('a model of which nothing is known', () => {
  it('is blocked by name, whatever its agent declares; unknown is not allowed [DL-66 DL-06 DL-50]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ profile: 'stranger', model: 'mystery-1' });
    const { attachment } = await api.upload(session.id, makePng(20, 20));
    await api.inspected(attachment.id);
    await vi.waitFor(
      async () => {
        // Until the agent has been asked, not even its transport is known.
        const { body } = await tryToSend(session.id, [agent.id], [attachment.id]);
        expect(body.plans[0]?.items[0]?.checks).toMatchObject({ transport: 'yes', model: 'unknown' });
        expect(body.failures).toMatchObject([{ code: 'attachment_model_vision_unknown', model: 'mystery-1' }]);
        expect(body.failures[0]?.userMessage).toContain('mystery-1');
      },
      { timeout: 60_000, interval: 100 },
    );
  });

  it('delivers on the operator’s word, and the receipt claims no more than it knows [DL-66 DL-09]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ profile: 'vouched', model: 'mystery-1' });
    const { attachment } = await api.upload(session.id, makePng(20, 20));
    await api.inspected(attachment.id);
    const draft = { to: [agent.id], attachmentIds: [attachment.id] };
    await vi.waitFor(
      async () => {
        const { body } = await api.call<Refusal>('POST', `/sessions/${session.id}/plan`, { body: draft });
        expect(body.plans[0]?.decision).toBe('deliver');
      },
      { timeout: 60_000, interval: 100 },
    );
    const { delivery, answer } = await takeTurn(api, { session, agent }, 'look', [attachment.id]);
    expect(answer).toContain(attachment.sha256);
    expect(delivery.receipt?.items).toMatchObject([{ sha256: attachment.sha256, form: 'native', verdict: 'unknown' }]);
  });
});

describe('a file that did not pass inspection', () => {
  it('is rejected with its failure, stays downloadable and is never delivered [DL-37 S16]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const bytes = makePngHeader(50_000, 50_000);
    const { attachment, displayUrl } = await api.upload(session.id, bytes);
    expect(attachment.status).toBe('pending');
    const rejected = await api.inspected(attachment.id);
    expect(rejected).toMatchObject({ status: 'rejected', failure: { code: 'attachment_pixels_exceeded' } });
    const { status, body } = await tryToSend(session.id, [agent.id], [attachment.id]);
    expect(status).toBe(422);
    expect(body.failures).toMatchObject([
      { code: 'attachment_rejected', safeDetails: { rejectedAs: 'attachment_pixels_exceeded' } },
    ]);
    const download = await fetch(displayUrl);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(bytes);
  });

  it('is waited for while inspection is under way', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const { attachment } = await api.upload(session.id, makePng(2_000, 2_000));
    expect(attachment.status).toBe('pending');
    const { delivery } = await takeTurn(api, { session, agent }, 'look', [attachment.id]);
    expect(delivery).toMatchObject({ status: 'responded', plan: { items: [{ becomes: 'native' }] } });
  });
});
