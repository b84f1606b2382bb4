// hosted: long – the parts of a message cross as for uploads; the words are read before anything crosses
import { createHash } from 'node:crypto';
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
const png = makePng(40, 30, 7);
const base64 = Buffer.from(png).toString('base64');
const dataUrl = `data:image/png;base64,${base64}`;

async function readLog(sessionId: string): Promise<string> {
  return JSON.stringify(await stack.api.events(sessionId));
}

describe('a picture in the words of a message', () => {
  it('reaches the agent as a picture, and no word of it is in the prompt, the log or the message [SR-24 DL-06 DL-98]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const { delivery, answer } = await takeTurn(api, place, `What is in ${dataUrl}? Say it.`);
    expect(delivery.receipt?.items).toMatchObject([{ form: 'native', sha256: sha256Of(png), verdict: 'delivered' }]);
    expect(answer).toContain(sha256Of(png));
    const { body } = await api.call<{ message: { text: string; attachmentIds: string[] } }>(
      'GET',
      `/messages/${delivery.messageId}`,
    );
    const [id] = body.message.attachmentIds;
    expect(body.message.text).toBe(`What is in [attachment id=${id} type=image/png name="pasted-1.png"]? Say it.`);
    expect(await readLog(place.session.id)).not.toContain(base64.slice(0, 40));
  });

  it('is refused where the model takes none, by the plan and by the message, and nothing of it is left [DL-06]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ model: 'example-text' });
    const draft = { to: [agent.id], text: dataUrl, attachmentIds: [] };
    const planned = await api.call('POST', `/sessions/${session.id}/plan`, { body: draft });
    expect(planned.body).toMatchObject({ plans: [{ decision: 'blocked', items: [{ becomes: 'blocked' }] }] });
    const sent = await api.call('POST', `/sessions/${session.id}/messages`, { body: draft });
    expect(sent).toMatchObject({ status: 422, body: { code: 'DELIVERY_BLOCKED' } });
    const listed = await api.call('GET', `/sessions/${session.id}/attachments`);
    expect(listed.body).toMatchObject({ items: [] });
  });

  it('is planned as it is sent', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const draft = { to: [place.agent.id], text: `see ${dataUrl}`, attachmentIds: [] };
    const planned = await api.call<{ plans: { items: { becomes: string }[] }[] }>(
      'POST',
      `/sessions/${place.session.id}/plan`,
      { body: draft },
    );
    const { delivery } = await takeTurn(api, place, draft.text);
    const formsOf = (items: readonly { becomes: string }[] = []) => items.map(({ becomes }) => becomes);
    expect(formsOf(planned.body.plans[0]?.items)).toEqual(formsOf(delivery.plan.items));
  });

  it('is among the parts of a projection, not among its words', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const body = { format: 'anthropic', to: agent.id, text: `see ${dataUrl}`, bytes: 'inline' };
    const projected = await api.call<{ parts: { type: string; text?: string }[] }>(
      'POST',
      `/sessions/${session.id}/projections`,
      { body },
    );
    expect(projected.body.parts.map(({ type }) => type)).toContain('image');
    for (const { text = '' } of projected.body.parts) expect(text).not.toContain(base64.slice(0, 40));
  });

  it('stays a text where the sender says so', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const body = { to: [agent.id], text: dataUrl, textMedia: 'keep' };
    const sent = await api.call('POST', `/sessions/${session.id}/messages`, { body });
    expect(sent).toMatchObject({ status: 202, body: { message: { text: dataUrl, attachmentIds: [] } } });
  });

  it('is taken with 11 MB in one data URL, and refused where the body is above its limit', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const send = (bytes: number) => {
      const text = `data:application/pdf;base64,${Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(bytes, 0x20), Buffer.from('\n%%EOF')]).toString('base64')}`;
      return api.call('POST', `/sessions/${session.id}/messages`, { body: { to: [agent.id], text } });
    };
    // No reader accepts it as a PDF: it is the size that is let through.
    expect(await send(11_000_000)).toMatchObject({ status: 422, body: { code: 'DELIVERY_BLOCKED' } });
    expect(await send(12_600_000)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });
});

describe('pictures in a text file', () => {
  // Base64 of fewer bytes may be anything; a data URL says what it is.
  const picture = Buffer.concat([png, Buffer.alloc(200, 7)]);
  const spelled = picture.toString('base64');

  it.each([
    [
      'notes.md',
      `# Notes\n\n![shot](data:image/png;base64,${spelled})\n`,
      '# Notes\n\n![shot]([image/png of SIZE bytes, left out])\n',
    ],
    [
      'run.ipynb',
      `{"data":{"image/png":"${spelled}"}}`,
      '{"data":{"image/png":"[image/png of SIZE bytes, left out]"}}',
    ],
    [
      'mail.eml',
      `Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n${spelled}\n\nend\n`,
      'Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n[image/png of SIZE bytes, left out]\n\nend\n',
    ],
  ])('are named in their places and left out: %s [DL-06]', async (name, content, sent) => {
    const { api } = stack;
    const place = await api.createSession();
    const bytes = new Uint8Array(Buffer.from(content));
    const { attachment } = await api.upload(place.session.id, bytes, { name, type: 'text/plain' });
    expect(await api.inspected(attachment.id)).toMatchObject({ kind: 'text', facts: { inlineMedia: 1 } });
    const { delivery, answer } = await takeTurn(api, place, 'Read it.', [attachment.id]);
    expect(delivery.plan.items[0]?.warnings).toMatchObject([{ code: 'text_media_left_out' }]);
    expect(answer).toContain(`sha256 ${sha256Of(Buffer.from(sent.replace('SIZE', `${picture.length}`)))}`);
  });
});
