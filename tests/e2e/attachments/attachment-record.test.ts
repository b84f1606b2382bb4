// hosted: long – intake and inspection are the same code over contract-tested ports
import { hash } from 'node:crypto';
import type { Attachment, DeliveryPlan } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';
import { waitForPreview } from '../steps/wait-for-preview.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

async function uploadForm(sessionId: string, file: Blob, fields: Record<string, string>): Promise<Attachment> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', file, 'image.png');
  const { body } = await stack.api.call('POST', `/sessions/${sessionId}/attachments`, { raw: form });
  return stack.api.inspected((body.attachment as Attachment).id);
}

describe('the record of a file', () => {
  it('has id, name, type, kind, size, digest, facts, variants and warnings, and where the file came from [DL-15 DL-75]', async () => {
    const { session } = await stack.api.createSession();
    const bytes = makePng(640, 480, 7);
    const { id } = await uploadForm(session.id, new Blob([bytes], { type: 'image/png' }), {
      ...{ source: 'drag-drop', name: 'sky.png' },
    });
    await waitForPreview(stack.api, id);
    const { body } = await stack.api.call<{ attachment: Attachment }>('GET', `/attachments/${id}`);
    const { attachment } = body;
    expect(attachment).toMatchObject({
      ...{ id, sessionId: session.id, name: 'sky.png', mimeType: 'image/png', kind: 'image', status: 'ready' },
      ...{ sizeBytes: bytes.length, sha256: hash('sha256', bytes), origin: 'upload', source: 'drag-drop' },
      facts: { width: 640, height: 480, animated: false, hasAlpha: expect.any(Boolean) },
      warnings: [],
    });
    // A variant records its source, its scale and its result.
    expect(attachment.variants).toMatchObject([
      {
        ...{ purpose: 'preview', mimeType: 'image/webp', width: 320, height: 240, scale: 0.5 },
        ...{ sizeBytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
  });

  it('says what the bytes are, whatever the client said of them; size and digest are counted here [DL-10 A14]', async () => {
    const { session, agent } = await stack.api.createSession();
    const words = Buffer.from('plain words, no picture at all');
    const claimed = await uploadForm(session.id, new Blob([words], { type: 'image/png' }), { name: 'cat.png' });
    expect(claimed).toMatchObject({
      ...{ kind: 'text', sizeBytes: words.length, sha256: hash('sha256', words), declaredMimeType: 'image/png' },
      warnings: [{ code: 'type_differs_from_declared' }],
    });
    expect(claimed.mimeType).toMatch(/^text\//);
    // The plan follows from the inspection: the file goes as text, and never as an image.
    const { delivery } = await takeTurn(stack.api, { session, agent }, 'look', [claimed.id]);
    expect(delivery.receipt?.items).toMatchObject([{ form: 'text', sha256: hash('sha256', words) }]);
    const short = await stack.api.call('PUT', `/sessions/${session.id}/attachments?name=a.txt`, {
      raw: new Uint8Array(words),
      headers: {
        'repr-digest': `sha-256=:${Buffer.from(hash('sha256', 'something else'), 'hex').toString('base64')}:`,
      },
    });
    expect(short).toMatchObject({ status: 422, body: { code: 'CHECKSUM_MISMATCH' } });
  });
});

describe('a file that no target takes', () => {
  it('is stored to the byte, listed, described and downloadable; only a message with it is refused [SR-29]', async () => {
    const { session, agent } = await stack.api.createSession();
    const bytes = Uint8Array.from([0, 1, 2, 3, 250, 0, 0, 9, 255, 254, 0, 0]);
    const options = { name: 'dump.bin', type: 'application/octet-stream' };
    const { attachment, displayUrl } = await stack.api.upload(session.id, bytes, options);
    expect(await stack.api.inspected(attachment.id)).toMatchObject({ status: 'ready', kind: 'unsupported' });
    const listed = await stack.api.call('GET', `/sessions/${session.id}/attachments?kind=unsupported`);
    expect(listed.body.items).toMatchObject([{ id: attachment.id, name: 'dump.bin', sizeBytes: bytes.length }]);
    const { body } = await stack.api.call('GET', `/attachments/${attachment.id}`);
    expect(body.attachment).toMatchObject({ id: attachment.id, sha256: hash('sha256', bytes), kind: 'unsupported' });
    expect(new Uint8Array(await (await fetch(displayUrl)).arrayBuffer())).toEqual(bytes);
    const draft = { to: [agent.id], text: 'look', attachmentIds: [attachment.id] };
    const refused = await stack.api.call('POST', `/sessions/${session.id}/messages`, { body: draft });
    expect(refused).toMatchObject({ status: 422, body: { failures: [{ attachmentId: attachment.id }] } });
  });
});

describe('a message', () => {
  it.each([
    '/etc/passwd',
    '../secret.png',
    'file:///etc/passwd',
    'picture.png',
    'att_short',
    'agt_AAAAAAAAAAAAAAAAAAAAAA',
  ])('names attachments by id alone: %s is refused, and nothing is accepted [DL-95]', async (named) => {
    const { session, agent } = await stack.api.createSession();
    const draft = { to: [agent.id], text: 'look', attachmentIds: [named] };
    for (const route of ['messages', 'plan']) {
      const answer = await stack.api.call('POST', `/sessions/${session.id}/${route}`, { body: draft });
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    }
    expect((await stack.api.events(session.id)).map(({ kind }) => kind)).not.toContain('message.accepted');
  });

  it('has one plan: the dry run, the delivery and the parts for an API agree, and rest on the same capability [DL-01 DL-23]', async () => {
    const place = await stack.api.createSession({ model: 'example-omni' });
    const { attachment } = await stack.api.upload(place.session.id, makePng(31, 21));
    await stack.api.inspected(attachment.id);
    const draft = { to: [place.agent.id], text: 'look', attachmentIds: [attachment.id] };
    const { body: planned } = await stack.api.call<{ plans: DeliveryPlan[] }>(
      ...(['POST', `/sessions/${place.session.id}/plan`, { body: draft }] as const),
    );
    const { body: projected } = await stack.api.call<{ plan: DeliveryPlan; parts: unknown[] }>(
      ...([
        'POST',
        `/sessions/${place.session.id}/projections`,
        { body: { ...draft, to: place.agent.id, format: 'acp', bytes: 'url' } },
      ] as const),
    );
    const { delivery } = await takeTurn(stack.api, place, 'look', [attachment.id]);
    expect(planned.plans).toEqual([delivery.plan]);
    expect(projected.plan).toEqual(delivery.plan);
    const { body: known } = await stack.api.call('GET', '/capabilities?profile=example&model=example-omni');
    expect(known.capability).toMatchObject({
      catalogVersion: delivery.plan.catalogVersion,
      image: { transport: 'yes', model: 'yes', mimeTypes: expect.arrayContaining(['image/png']) },
    });
  });
});
