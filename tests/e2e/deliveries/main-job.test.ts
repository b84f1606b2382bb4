// hosted: every – three processes, the bus and the store carry it
import { createHash } from 'node:crypto';
import { deliverySchema } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a person uploads a picture', () => {
  it('as a raw body: it is recorded at once and inspected soon [AT-06 AT-18 SR-01 SR-03 SR-12]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    const bytes = makePng(40, 30);
    const { attachment } = await api.upload(session.id, bytes, { name: 'evening sky.png' });
    expect(attachment).toMatchObject({
      id: expect.stringMatching(/^att_[A-Za-z0-9_-]{22}$/),
      sessionId: session.id,
      name: 'evening sky.png',
      mimeType: 'image/png',
      size: bytes.length,
      sizeBytes: bytes.length,
      sha256: sha256Of(bytes),
      origin: 'upload',
      status: 'pending',
      createdAt: expect.any(String),
      schemaVersion: expect.any(Number),
    });
    const inspected = await api.inspected(attachment.id);
    expect(inspected).toMatchObject({ status: 'ready', kind: 'image', facts: { width: 40, height: 30 } });
  });

  it('as a form: fields, then the part `file` [AT-14 AT-18]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    const bytes = makePng(16, 9);
    const form = new FormData();
    form.set('source', 'clipboard');
    form.set('name', 'pasted.png');
    form.set('file', new Blob([bytes], { type: 'image/png' }), 'image.png');
    const { status, headers, body } = await api.call('POST', `/sessions/${session.id}/attachments`, { raw: form });
    expect(status).toBe(201);
    const { attachment, displayUrl } = body as { attachment: Record<string, unknown>; displayUrl: string };
    expect(attachment).toMatchObject({ name: 'pasted.png', source: 'clipboard', sha256: sha256Of(bytes) });
    expect(headers.get('location')).toBe(`/v1/attachments/${attachment.id}`);
    expect(new Uint8Array(await (await fetch(displayUrl)).arrayBuffer())).toEqual(bytes);
  });
});

describe('a message brings it to an agent', () => {
  it('with the same plan as the dry run, and the answer names the digest of the receipt [AT-27 BX-03 DL-61]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const bytes = makePng(64, 48, 2);
    const { attachment } = await api.upload(session.id, bytes);
    await api.inspected(attachment.id);
    const draft = { to: [agent.id], text: 'What do you see?', attachmentIds: [attachment.id] };
    const planned = await api.call('POST', `/sessions/${session.id}/plan`, { body: draft });
    const { delivery, answer } = await takeTurn(api, { session, agent }, draft.text, draft.attachmentIds);
    expect(planned.body).toEqual({ plans: [delivery.plan] });
    expect(delivery.plan.items).toMatchObject([
      {
        attachmentId: attachment.id,
        becomes: 'native',
        checks: { decode: 'yes', budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' },
      },
    ]);
    const item = { attachmentId: attachment.id, form: 'native', verdict: 'delivered', sizeBytes: bytes.length };
    expect(delivery.receipt).toMatchObject({ transport: 'acp/stdio', proof: expect.stringContaining('end_turn') });
    // Its agent asks no model: what the transport shows is all there is.
    const shown = { ...item, sha256: sha256Of(bytes), proof: delivery.receipt?.proof };
    expect(delivery.receipt?.items).toMatchObject([shown]);
    expect(delivery.receipt?.items[0]).not.toHaveProperty('wire');
    expect(answer).toContain(`64 × 48 pixels`);
    expect(answer).toContain(`sha256 ${sha256Of(bytes)}`);
    expect((await api.inspected(attachment.id)).sha256).toBe(sha256Of(bytes));
  });

  it('as an image block that is made for the turn: message, plan, receipt and log name the resource, and hold nothing of its bytes [SR-13 DL-98]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const bytes = makePng(64, 48, 5);
    const { attachment } = await api.upload(place.session.id, bytes);
    const inspected = await api.inspected(attachment.id);
    const { delivery, answer } = await takeTurn(api, place, 'look', [attachment.id]);
    expect(answer).toContain(`sha256 ${sha256Of(bytes)}`);
    const events = await api.events(place.session.id);
    const [accepted] = events.filter(({ kind }) => kind === 'message.accepted');
    expect(accepted?.data.attachmentIds).toEqual([attachment.id]);
    const piece = Buffer.from(bytes).toString('base64').slice(0, 40);
    expect(JSON.stringify([events, delivery])).not.toContain(piece);
    // The turn left the resource as it was, and the block is no attachment of its own.
    const listed = await api.call('GET', `/sessions/${place.session.id}/attachments?origin=upload`);
    expect(listed.body.items).toMatchObject([{ id: inspected.id, sha256: inspected.sha256, facts: inspected.facts }]);
  });

  it('with a timeline that says who moved it, when and under which epoch [DL-61]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { attachment } = await api.upload(place.session.id, makePng(8, 8, 3));
    const { delivery } = await takeTurn(api, place, 'look', [attachment.id]);
    expect(deliverySchema.parse(delivery)).toEqual(delivery);
    expect(delivery.timeline.map(({ status, actor, epoch }) => [status, actor.id, epoch])).toEqual([
      ['queued', expect.stringMatching(/^key_/), undefined],
      ['prepared', 'ingest', undefined],
      ['claimed', 'runner-gateway', expect.any(Number)],
      ['written', 'runner-gateway', expect.any(Number)],
      ['responded', 'runner-gateway', expect.any(Number)],
    ]);
    const times = delivery.timeline.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(delivery.receipt?.writtenAt.localeCompare(delivery.receipt?.respondedAt ?? '')).toBeLessThanOrEqual(0);
  });

  it('announced by one marker, which the agent uses to give a picture back [AT-28 AT-33]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { attachment } = await api.upload(place.session.id, makePng(32, 32, 4), { name: 'a "quoted" [name].png' });
    await takeTurn(api, place, 'Make a card of it.', [attachment.id]);
    const { body } = await api.call('GET', `/sessions/${place.session.id}/attachments?origin=tool-output`);
    const [output, ...others] = body.items as { id: string; sha256: string; sizeBytes: number }[];
    expect(others).toEqual([]);
    expect(output).toMatchObject({ origin: 'tool-output', source: 'tool', mimeType: 'image/png' });
    const { body: made } = await api.call('POST', `/attachments/${output?.id}/urls`, { body: {} });
    const bytes = new Uint8Array(await (await fetch(String(made.url))).arrayBuffer());
    expect(sha256Of(bytes)).toBe(output?.sha256);
    expect(await api.inspected(String(output?.id))).toMatchObject({ status: 'ready', kind: 'image' });
  });

  it('and what the agent gave back is named in the next message like any upload [AT-35]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { attachment } = await api.upload(place.session.id, makePng(32, 24, 5));
    await takeTurn(api, place, 'Make a card of it.', [attachment.id]);
    const { body } = await api.call('GET', `/sessions/${place.session.id}/attachments?origin=tool-output`);
    const [output] = body.items as { id: string; sha256: string }[];
    const { delivery, answer } = await takeTurn(api, place, 'And of the card?', [String(output?.id)]);
    expect(delivery).toMatchObject({ status: 'responded', receipt: { items: [{ sha256: output?.sha256 }] } });
    expect(answer).toContain(`sha256 ${output?.sha256}`);
  });
});

describe('a list of attachments', () => {
  it('is filtered by origin, kind and name, and paged [AT-08]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    const names = ['one.png', 'two.png', 'three.txt'];
    for (const name of names) {
      const isText = name.endsWith('.txt');
      const bytes = isText ? new Uint8Array(Buffer.from('three')) : makePng(4, 4, name.length);
      const { attachment } = await api.upload(session.id, bytes, { name, type: isText ? 'text/plain' : 'image/png' });
      await api.inspected(attachment.id);
    }
    const list = async (query: string) => {
      const { body } = await api.call('GET', `/sessions/${session.id}/attachments?${query}`);
      return body as { items: { name: string }[]; nextCursor: string | null };
    };
    const namesOf = async (query: string) => (await list(query)).items.map(({ name }) => name);
    expect(await namesOf('')).toEqual(names);
    expect(await namesOf('kind=text')).toEqual(['three.txt']);
    expect(await namesOf('name=two')).toEqual(['two.png']);
    expect(await namesOf('origin=tool-output')).toEqual([]);
    const first = await list('limit=2');
    expect(first.items).toHaveLength(2);
    const second = await list(`limit=2&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ items: [{ name: 'three.txt' }], nextCursor: null });
    const forged = await api.call('GET', `/sessions/${session.id}/attachments?cursor=${first.nextCursor}x`);
    expect(forged).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });
});
