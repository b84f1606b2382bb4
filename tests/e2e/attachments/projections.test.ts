// hosted: long – converters are pure; the store that they read from has a contract suite on S3
import { hash } from 'node:crypto';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['stranger'] });
});
afterAll(() => stack.stop());

const png = makePng(60, 40);
const pdf = Uint8Array.from(buildPdf([['first'], ['second']]));
const note = Uint8Array.from(Buffer.from('a "note"\nwith two lines\n'));

async function openPlace() {
  const place = await stack.api.createSession();
  const upload = async (bytes: Uint8Array<ArrayBuffer>, name: string, type: string) => {
    const { attachment } = await stack.api.upload(place.session.id, bytes, { name, type });
    return (await stack.api.inspected(attachment.id)).id;
  };
  return {
    ...place,
    picture: await upload(png, 'a.png', 'image/png'),
    report: await upload(pdf, 'b.pdf', 'application/pdf'),
    note: await upload(note, 'c.txt', 'text/plain'),
  };
}

const project = (sessionId: string, body: object) =>
  stack.api.call('POST', `/sessions/${sessionId}/projections`, { body });
const digestOf = (data: string) => hash('sha256', Buffer.from(data.replace(/^data:[^,]*,/, ''), 'base64'));
const [pngDigest, pdfDigest] = [hash('sha256', png), hash('sha256', pdf)];

describe('parts for a model API', () => {
  it('are what the Anthropic API takes, with the very bytes [SR-04 SR-11 RP-07 RP-08 AT-28]', async () => {
    const { session, picture, report, note: text } = await openPlace();
    const body = {
      format: 'anthropic',
      model: 'claude-sonnet-5',
      text: 'look',
      attachmentIds: [picture, report, text],
      bytes: 'inline',
    };
    const answer = await project(session.id, body);
    expect(answer.status).toBe(200);
    const parts = answer.body.parts as Record<string, never>[];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image', 'document', 'document']);
    const [words, image, document, file] = parts as unknown as {
      text: string;
      source: { data: string; media_type: string };
    }[];
    expect(words?.text.match(/\[attachment id=att_/g)).toHaveLength(3);
    expect(image?.source.media_type).toBe('image/png');
    expect(digestOf(image?.source.data ?? '')).toBe(pngDigest);
    expect(digestOf(document?.source.data ?? '')).toBe(pdfDigest);
    expect(file?.source.data).toBe(Buffer.from(note).toString());
    const plan = answer.body.plan as { decision: string; items: { becomes: string }[] };
    expect(plan.items.map(({ becomes }) => becomes)).toEqual(['native', 'native', 'text']);
    expect('agentId' in plan).toBe(false);
  });

  it.each([
    ['openai-responses', 'gpt-5.5', ['input_text', 'input_image', 'input_file', 'input_text']],
    ['openai-chat', 'gpt-5.5', ['text', 'image_url', 'file', 'text']],
  ])('are what %s takes [SR-04 RP-07 RP-08]', async (format, model, types) => {
    const { session, picture, report, note: text } = await openPlace();
    const answer = await project(session.id, {
      format,
      model,
      text: 'look',
      attachmentIds: [picture, report, text],
      bytes: 'inline',
    });
    expect((answer.body.parts as { type: string }[]).map(({ type }) => type)).toEqual(types);
    const written = JSON.stringify(answer.body.parts);
    expect(written).toContain(Buffer.from(png).toString('base64'));
    expect(written).toContain(Buffer.from(pdf).toString('base64'));
  });

  it('are what the Gemini API takes [SR-04]', async () => {
    const { session, picture, report } = await openPlace();
    const answer = await project(session.id, {
      format: 'google',
      model: 'gemini-3-flash',
      text: '',
      attachmentIds: [picture, report],
      bytes: 'inline',
    });
    expect(JSON.stringify(answer.body.parts)).toContain('"mimeType":"application/pdf"');
    expect(JSON.stringify(answer.body.parts)).toContain(Buffer.from(png).toString('base64'));
  });

  it('are ACP blocks for an agent of the session: pages where it takes only images [SR-04 BX-19 DL-56]', async () => {
    const { session, agent, report } = await openPlace();
    const answer = await project(session.id, {
      format: 'acp',
      to: agent.id,
      text: 'look',
      attachmentIds: [report],
      bytes: 'inline',
    });
    const parts = answer.body.parts as { type: string; data?: string; mimeType?: string }[];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'text', 'image', 'image']);
    expect(parts[2]?.mimeType).toBe('image/jpeg');
    expect(
      Buffer.from(parts[2]?.data ?? '', 'base64')
        .subarray(0, 2)
        .toString('hex'),
    ).toBe('ffd8');
    expect(answer.body.plan).toMatchObject({ agentId: agent.id, items: [{ becomes: 'pages' }] });
    const again = await project(session.id, {
      format: 'acp',
      to: agent.id,
      text: 'look',
      attachmentIds: [report],
      bytes: 'inline',
    });
    expect(again.body).toEqual(answer.body);
  });

  it('point to signed URLs where that was asked for [SR-11]', async () => {
    const { session, picture } = await openPlace();
    const answer = await project(session.id, {
      format: 'anthropic',
      model: 'claude-sonnet-5',
      text: 'x',
      attachmentIds: [picture],
      bytes: 'url',
    });
    const [, image] = answer.body.parts as { source: { type: string; url: string } }[];
    expect(image?.source.type).toBe('url');
    const bytes = await fetch(image?.source.url ?? '').then((response) => response.arrayBuffer());
    expect(hash('sha256', Buffer.from(bytes))).toBe(pngDigest);
  });

  it('of earlier messages hold descriptors, or the originals where the policy keeps them [SR-05 AT-28]', async () => {
    const { session, agent, picture } = await openPlace();
    const { delivery } = await takeTurn(stack.api, { session, agent }, 'look', [picture]);
    const request = {
      format: 'anthropic',
      model: 'claude-sonnet-5',
      messageIds: [delivery.messageId],
      bytes: 'inline',
    };
    const described = await project(session.id, request);
    const parts = described.body.parts as { type: string; text: string }[];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'text']);
    expect(parts[1]?.text).toMatch(/^\[attachment id=att_.*not repeated\)$/);
    const { body: made } = await stack.api.call('POST', '/sessions', {
      body: {
        agents: [{ name: 'a', role: 'lead', target: { profile: 'example', model: 'example-vision' } }],
        replayPolicy: { originals: { turns: 1 } },
      },
    });
    const keeping = made.session as typeof session;
    const place = { session: keeping, agent: keeping.agents[0] as typeof agent };
    const { attachment } = await stack.api.upload(keeping.id, png);
    await stack.api.inspected(attachment.id);
    const first = await takeTurn(stack.api, place, 'one', [attachment.id]);
    const second = await takeTurn(stack.api, place, 'two', [attachment.id]);
    const both = await project(keeping.id, {
      ...request,
      messageIds: [first.delivery.messageId, second.delivery.messageId],
    });
    expect((both.body.parts as { type: string }[]).map(({ type }) => type)).toEqual(['text', 'text', 'text', 'image']);
  });

  it('are recorded before they leave: to whom, in which form [SR-11]', async () => {
    const { session, picture, report } = await openPlace();
    await project(session.id, {
      format: 'anthropic',
      model: 'claude-sonnet-5',
      text: 'x',
      attachmentIds: [picture, report],
      bytes: 'inline',
    });
    const { body } = await stack.api.call('GET', '/audit?limit=5');
    const [entry] = (body.items as { action: string; subjectId: string; data: object }[]).filter(
      ({ subjectId }) => subjectId === session.id,
    );
    expect(entry).toMatchObject({
      action: 'projection.made',
      data: { format: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5', bytes: 'inline', native: 2 },
    });
  });
});

describe('a projection is refused', () => {
  it('whole, by code, where its model cannot take a file [DL-21 DL-66 BX-19]', async () => {
    const { session, picture, report } = await openPlace();
    const ask = (model: string, attachmentIds: string[], format = 'openai-chat') =>
      project(session.id, { format, model, text: 'x', attachmentIds, bytes: 'inline' });
    expect(await ask('o3-mini', [picture])).toMatchObject({
      status: 422,
      body: { code: 'DELIVERY_BLOCKED', failures: [{ code: 'attachment_model_vision_unsupported', model: 'o3-mini' }] },
    });
    expect(await ask('gpt-77', [picture])).toMatchObject({
      body: { failures: [{ code: 'attachment_model_vision_unknown' }] },
    });
    expect((await ask('o3-mini', [report])).body).toMatchObject({ plan: { items: [{ becomes: 'text' }] } });
  });

  it('for what is malformed, foreign, or asked in two ways [DL-12 S1]', async () => {
    const { session, picture } = await openPlace();
    const theirs = await stack.apiOf('stranger').createSession();
    const base = {
      format: 'anthropic',
      model: 'claude-sonnet-5',
      text: 'x',
      attachmentIds: [picture],
      bytes: 'inline',
    };
    const statusOf = async (body: object) => {
      const answer = await project(session.id, body);
      return [answer.status, answer.body.code];
    };
    expect(await statusOf({ ...base, format: 'cohere' })).toEqual([400, 'INVALID_REQUEST']);
    expect(await statusOf({ ...base, bytes: 'raw' })).toEqual([400, 'INVALID_REQUEST']);
    expect(await statusOf({ ...base, messageIds: ['msg_AAAAAAAAAAAAAAAAAAAAAA'] })).toEqual([400, 'INVALID_REQUEST']);
    expect(await statusOf({ format: 'anthropic', model: 'm', bytes: 'inline' })).toEqual([400, 'INVALID_REQUEST']);
    expect(await statusOf({ ...base, model: undefined })).toEqual([400, 'INVALID_REQUEST']);
    expect(await statusOf({ ...base, format: 'acp' })).toEqual([400, 'INVALID_REQUEST']);
    expect(await statusOf({ ...base, text: '', attachmentIds: [] })).toEqual([400, 'INVALID_REQUEST']);
    expect(await statusOf({ ...base, to: theirs.agent.id })).toEqual([404, 'AGENT_NOT_FOUND']);
    const foreign = await stack.apiOf('stranger').upload(theirs.session.id, makePng(5, 5));
    expect(await statusOf({ ...base, attachmentIds: [foreign.attachment.id] })).toEqual([404, 'ATTACHMENT_NOT_FOUND']);
    const { message } = await stack.apiOf('stranger').send(theirs.session.id, { to: [theirs.agent.id], text: 'hello' });
    const { text: _text, attachmentIds: _ids, ...history } = base;
    expect(await statusOf({ ...history, messageIds: [message.id] })).toEqual([404, 'MESSAGE_NOT_FOUND']);
  });
});
