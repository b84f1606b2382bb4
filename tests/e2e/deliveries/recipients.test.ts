// hosted: long – recipients are settled in one statement, whose contract suite runs on Postgres
import type { Agent, Attachment, Delivery, DeliveryPlan, Session } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

async function openMixed(): Promise<{ session: Session; seeing: Agent; reading: Agent; picture: string }> {
  const agentOf = (name: string, model: string) => ({ name, role: 'member', target: { profile: 'example', model } });
  const body = { agents: [agentOf('seeing', 'example-vision'), agentOf('reading', 'example-text')] };
  const { body: made } = await stack.api.call<{ session: Session }>('POST', '/sessions', { body });
  const [seeing, reading] = made.session.agents as [Agent, Agent];
  const { attachment } = await stack.api.upload(made.session.id, makePng(33, 22));
  await stack.api.inspected(attachment.id);
  return { session: made.session, seeing, reading, picture: attachment.id };
}

type Sent = {
  deliveries: Delivery[];
  leftOut?: DeliveryPlan[];
  plans?: DeliveryPlan[];
  failures?: { agentId: string; code: string }[];
  code?: string;
  message: { to: string[] };
};
const send = (session: Session, body: object) =>
  stack.api.call<Sent>('POST', `/sessions/${session.id}/messages`, { body });

describe('recipients of mixed ability', () => {
  it('block the whole message, and those that cannot are named [DL-55 DL-21 DL-18]', async () => {
    const { session, seeing, reading, picture } = await openMixed();
    const answer = await send(session, { to: [seeing.id, reading.id], text: 'look', attachmentIds: [picture] });
    expect([answer.status, answer.body.code]).toEqual([422, 'DELIVERY_BLOCKED']);
    expect(answer.body.failures).toMatchObject([
      {
        ...{ agentId: reading.id, code: 'attachment_model_vision_unsupported', attachmentId: picture },
        ...{ provider: 'example', model: 'example-text', diagnostic: expect.stringContaining('runtime=acp') },
      },
    ]);
    expect(answer.body.plans?.map(({ agentId }) => agentId)).toEqual([seeing.id, reading.id]);
    expect((await stack.api.events(session.id)).some(({ kind }) => kind === 'message.accepted')).toBe(false);
  });

  it('are served in part only where that is asked for, and who is left out is said and logged [DL-55 DL-65]', async () => {
    const { session, seeing, reading, picture } = await openMixed();
    const answer = await send(session, {
      to: [reading.id, seeing.id],
      text: 'look',
      attachmentIds: [picture],
      partial: true,
    });
    expect(answer.status).toBe(202);
    expect(answer.body.message.to).toEqual([seeing.id]);
    expect(answer.body.deliveries.map(({ agentId }) => agentId)).toEqual([seeing.id]);
    expect(answer.body.leftOut).toMatchObject([
      { agentId: reading.id, decision: 'blocked', items: [{ becomes: 'blocked' }] },
    ]);
    const delivery = await stack.api.settled(answer.body.deliveries[0]?.id ?? '');
    expect(delivery.receipt?.items).toHaveLength(1);
    const [accepted] = (await stack.api.events(session.id)).filter(({ kind }) => kind === 'message.accepted');
    expect(accepted?.data.leftOut).toEqual([{ agentId: reading.id, codes: ['attachment_model_vision_unsupported'] }]);
  });

  it('of whom none can get it block it all the same [DL-55]', async () => {
    const { session, reading, picture } = await openMixed();
    const answer = await send(session, { to: [reading.id], text: 'look', attachmentIds: [picture], partial: true });
    expect(answer.status).toBe(422);
  });
});

describe('a file inside a message', () => {
  const png = Buffer.from(makePng(34, 23));

  it.each([
    ['as base64', png.toString('base64')],
    ['as a data URL', `data:image/png;base64,${png.toString('base64')}`],
    ['with line breaks', png.toString('base64').replaceAll(/(.{40})/g, '$1\n')],
  ])('%s becomes an attachment of the session at once [DL-46 DL-98]', async (_, data) => {
    const { session, seeing } = await openMixed();
    const attachments = [{ data, mimeType: 'image/jpeg', filename: '../a.png' }];
    const answer = await send(session, { to: [seeing.id], text: 'look', attachments });
    expect(answer.status).toBe(202);
    const delivery = await stack.api.settled(answer.body.deliveries[0]?.id ?? '');
    expect(delivery).toMatchObject({
      status: 'responded',
      receipt: { items: [{ form: 'native', sizeBytes: png.length }] },
    });
    const [item] = delivery.receipt?.items ?? [];
    const attachment = await stack.api.inspected(item?.attachmentId ?? '');
    expect(attachment).toMatchObject({
      mimeType: 'image/png',
      declaredMimeType: 'image/jpeg',
      source: 'inbox',
      origin: 'upload',
    });
    expect(attachment.name).not.toContain('/');
    const text = JSON.stringify(await stack.api.events(session.id));
    expect(text).not.toContain(png.toString('base64').slice(0, 60));
  });

  it('is sent once for an idempotency key, and is gone where the message is refused [DL-46 DL-44 DL-21]', async () => {
    const { session, seeing, reading } = await openMixed();
    const count = async () => {
      const { body } = await stack.api.call('GET', `/sessions/${session.id}/attachments?limit=50`);
      // The agent answers with a picture of its own, whenever it does.
      return (body.items as Attachment[]).filter(({ origin }) => origin === 'upload').length;
    };
    const attachments = [{ data: png.toString('base64'), mimeType: 'image/png' }];
    const once = () =>
      stack.api.call<Sent>('POST', `/sessions/${session.id}/messages`, {
        body: { to: [seeing.id], text: 'look', attachments },
        headers: { 'idempotency-key': 'one' },
      });
    const first = await once();
    expect((await once()).body).toEqual(first.body);
    expect(await count()).toBe(2);
    expect((await send(session, { to: [reading.id], text: 'look', attachments })).status).toBe(422);
    expect(await count()).toBe(2);
  });

  it.each([
    ['no base64', 'not base64!'],
    ['a cut-off one', 'AAAAA'],
    ['a URL of another kind', 'data:text/plain,hello'],
  ])('is refused as %s [DL-46 DL-12]', async (_, data) => {
    const { session, seeing } = await openMixed();
    const answer = await send(session, { to: [seeing.id], text: 'x', attachments: [{ data, mimeType: 'image/png' }] });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});
