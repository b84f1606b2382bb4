// hosted: long – grants reach another process in grants.test.ts, too
import type { Attachment, Delivery, DeliveryStatus, Grant } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openOwnStack, openStack, type Stack } from '../stack/stack.ts';
import { type Place, runScript, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const statusesOf = ({ timeline }: Delivery) => timeline.map(({ status }) => status);

async function upload(api: Stack['api'], { session }: Place, text = 'figures of the week'): Promise<Attachment> {
  const bytes = new Uint8Array(Buffer.from(text));
  return (await api.upload(session.id, bytes, { name: 'note.txt', type: 'text/plain' })).attachment;
}

async function send({ session, agent }: Place, text: string, attachmentIds: string[] = []): Promise<Delivery> {
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text, attachmentIds });
  return deliveries[0];
}

async function reach({ id }: Delivery, status: DeliveryStatus): Promise<void> {
  await stack.api.reached(id, status);
}

async function grant(
  api: Stack['api'],
  { session, agent }: Place,
  { id: attachmentId }: Attachment,
  expiresAt?: string,
): Promise<Grant> {
  const body = { attachmentId, agentId: agent.id, rights: ['read'], ...(expiresAt ? { expiresAt } : {}) };
  const answer = await api.call<{ grant: Grant }>('POST', `/sessions/${session.id}/grants`, { body });
  expect(answer.status).toBe(201);
  return answer.body.grant;
}

/** Takes back what the messages of a session gave. */
async function revokeAll({ session }: Place): Promise<void> {
  const created = (await stack.api.events(session.id)).filter(
    ({ kind, data }) => kind === 'grant.created' && data.messageId !== undefined,
  );
  expect(created).toHaveLength(1);
  for (const { data } of created)
    expect((await stack.api.call('DELETE', `/sessions/${session.id}/grants/${data.grantId}`)).status).toBe(204);
}

/** An agent that is busy, and a message with a file that waits for it. */
async function occupy(): Promise<Place & { note: Attachment; waiting: Delivery; free(): Promise<unknown> }> {
  const place = await stack.api.createSession();
  const first = await send(place, 'example: hang');
  await reach(first, 'written');
  const note = await upload(stack.api, place);
  const waiting = await send(place, 'read it', [note.id]);
  await reach(waiting, 'prepared');
  return { ...place, note, waiting, free: () => stack.api.call('POST', `/deliveries/${first.id}/cancel`) };
}

async function expectNotGranted(place: Place, { id }: Delivery, note: Attachment): Promise<Delivery> {
  const failed = await stack.api.settled(id);
  const failure = { code: 'attachment_not_granted', attachmentId: note.id, retryable: false };
  expect(failed).toMatchObject({ status: 'failed', failure });
  expect(failed.failure?.userMessage).toContain('Send the message again');
  expect(statusesOf(failed)).not.toContain('written');
  expect(await stack.api.call('POST', `/deliveries/${id}/retry`)).toMatchObject({
    status: 409,
    body: { code: 'NOT_RETRYABLE' },
  });
  const written = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'delivery.written');
  expect(written.map(({ data }) => data.deliveryId)).not.toContain(id);
  return failed;
}

describe('a message that waits while the grant of its file ends', () => {
  it('is not written; sent again it grants the file again, and what comes behind it continues [SR-28 BX-09 DL-40]', async () => {
    const { waiting, note, free, ...place } = await occupy();
    const behind = await send(place, 'words only');
    await revokeAll(place);
    await free();
    const failed = await expectNotGranted(place, waiting, note);
    expect(statusesOf(failed)).toEqual(['queued', 'prepared', 'failed']);
    expect((await stack.api.settled(behind.id)).status).toBe('responded');
    expect((await takeTurn(stack.api, place, 'read it', [note.id])).delivery.status).toBe('responded');
  });

  it('is written while another grant of the same file holds [SR-28 BX-09]', async () => {
    const { waiting, note, free, ...place } = await occupy();
    await grant(stack.api, place, note);
    await revokeAll(place);
    await free();
    expect((await stack.api.settled(waiting.id)).status).toBe('responded');
  });

  it('is not written where the other grant has expired [BX-09]', async () => {
    const { waiting, note, free, ...place } = await occupy();
    const expiresAt = Date.now() + 3_000;
    await grant(stack.api, place, note, new Date(expiresAt).toISOString());
    await revokeAll(place);
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(expiresAt), { timeout: 60_000, interval: 50 });
    await free();
    await expectNotGranted(place, waiting, note);
  });

  it('is not written though its agent is being started for it already [SR-28 BX-09]', async () => {
    const place = await stack.api.createSession({ profile: 'late', model: 'script' });
    const note = await upload(stack.api, place);
    const sent = await send(place, 'do: process', [note.id]);
    await reach(sent, 'claimed');
    await revokeAll(place);
    const failed = await expectNotGranted(place, sent, note);
    expect(statusesOf(failed)).toEqual(['queued', 'prepared', 'claimed', 'failed']);
    // The agent is there for the next one.
    expect(await runScript(stack.api, place, ['list'])).toEqual([[]]);
  });
});

describe('the bytes of a file that is granted', () => {
  const script = ({ id }: Attachment) => [`resolve ${id}`, `url ${id}`, `read ${id}`, `file ${id}`];
  const noBytes = (code = 'ATTACHMENT_NOT_FOUND') => [
    { error: 'ResolveError', code },
    { error: 'Fault', code },
    { error: 'Fault', code },
  ];

  it('go to no agent where inspection refused it; it is only told of [SR-28 DL-43]', async () => {
    const place = await stack.api.createSession({ profile: 'scripted', model: 'script' });
    const broken = new Uint8Array(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    const { id } = (await stack.api.upload(place.session.id, broken)).attachment;
    const file = await stack.api.inspected(id);
    expect(file.status).toBe('rejected');
    await grant(stack.api, place, file);
    expect(await runScript(stack.api, place, script(file))).toEqual([file.sha256, ...noBytes()]);
    const viewed = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'resource.viewed');
    expect(viewed).toEqual([]);
  });

  it('go to no agent while it is still inspected [SR-28 DL-43]', async () => {
    const blind = await openOwnStack();
    try {
      await blind.breakProjector();
      const place = await blind.api.createSession({ profile: 'scripted', model: 'script' });
      const { attachment: picture } = await blind.api.upload(place.session.id, makePng(20, 20));
      await grant(blind.api, place, picture);
      expect(await runScript(blind.api, place, script(picture))).toEqual([picture.sha256, ...noBytes()]);
    } finally {
      await blind.stop();
    }
  });
});
