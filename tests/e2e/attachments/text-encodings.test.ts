// hosted: every – what a caller names passes the database, the bus and the store
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

// One letter beyond ASCII, in CP850: as windows-1252, it is another that is as good.
const street = 'Straße\n';
const streetInDos = latin1('Stra\xe1e\n');

async function upload(bytes: Uint8Array<ArrayBuffer>, query = '') {
  const place = await stack.api.createSession();
  const path = `/sessions/${place.session.id}/attachments?name=notes.txt${query}`;
  const answer = await stack.api.call('PUT', path, { raw: bytes, headers: { 'content-type': 'text/plain' } });
  return { place, answer, attachment: (answer.body as { attachment: { id: string } }).attachment };
}

const change = (id: string, encoding: unknown) => stack.api.call('PATCH', `/attachments/${id}`, { body: { encoding } });

describe('a text of which two encodings are as likely', () => {
  it('goes with a warning that names both, and right once a caller names its encoding [BX-29]', async () => {
    const { place, attachment } = await upload(streetInDos);
    const unsure = { code: 'encoding_uncertain', used: 'windows-1252', runnerUp: expect.any(String) };
    const inspected = await stack.api.inspected(attachment.id);
    expect(inspected).toMatchObject({ facts: { encoding: 'windows-1252' }, warnings: [unsure] });
    const guessed = await takeTurn(stack.api, place, 'Read it.', [attachment.id]);
    expect(guessed.delivery.plan.items[0]?.warnings).toContainEqual(expect.objectContaining(unsure));

    const changed = await change(attachment.id, 'IBM850');
    expect(changed).toMatchObject({
      status: 200,
      body: { attachment: { facts: { encoding: 'cp850' }, warnings: [] } },
    });
    const { answer, delivery } = await takeTurn(stack.api, place, 'Read it again.', [attachment.id]);
    expect(answer).toContain(`sha256 ${sha256Of(street)}`);
    expect(delivery.plan.items[0]?.warnings.map(({ code }) => code)).toEqual(['text_decoded']);
    const events = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'attachment.ready');
    expect(events.map(({ data }) => (data.facts as { encoding: string }).encoding)).toEqual(['windows-1252', 'cp850']);
  });

  it('is right from the start where the upload names it, in a form too', async () => {
    const { place, answer, attachment } = await upload(streetInDos, '&encoding=cp850');
    expect(answer).toMatchObject({
      status: 201,
      body: { attachment: { status: 'ready', facts: { encoding: 'cp850' } } },
    });
    const turn = await takeTurn(stack.api, place, 'Read it.', [attachment.id]);
    expect(turn.answer).toContain(`sha256 ${sha256Of(street)}`);
    const form = new FormData();
    form.append('file', new Blob([streetInDos]), 'notes.txt');
    const path = `/sessions/${place.session.id}/attachments?encoding=cp850`;
    expect(await stack.api.call('POST', path, { raw: form })).toMatchObject({
      status: 201,
      body: { attachment: { facts: { encoding: 'cp850' } } },
    });
  });
});

it('a browser that kept a text asks again and gets it under its corrected encoding', async () => {
  const { answer, attachment } = await upload(streetInDos);
  const url = String((answer.body as { displayUrl: string }).displayUrl);
  await stack.api.inspected(attachment.id);
  const first = await fetch(url);
  const etag = String(first.headers.get('etag'));
  expect(first.headers.get('content-type')).toBe('text/plain; charset=windows-1252');
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await change(attachment.id, 'cp850')).status).toBe(200);
  const again = await fetch(url, { headers: { 'if-none-match': etag } });
  expect([again.status, again.headers.get('content-type')]).toEqual([200, 'text/plain; charset=cp850']);
  const part = await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': etag } });
  expect(part.status).toBe(200);
});

describe('an encoding that does not fit', () => {
  const png = latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');

  it.each([
    ['a picture', png, 'cp850'],
    ['another encoding', latin1('Caf\xe9 M\xfcller, \xfcber die Br\xfccke\n'), 'utf-8'],
    ['bytes of no text', latin1('\0\x01\x02\x03\x04\x05\x06\x07\x0e\x0f'), 'windows-1252'],
  ])(
    'is refused for %s, at the upload and later, and nothing is kept or changed [BX-29]',
    async (_, bytes, encoding) => {
      const refused = await upload(bytes, `&encoding=${encoding}`);
      expect(refused.answer).toMatchObject({ status: 422, body: { code: 'ENCODING_MISMATCH' } });
      const listed = await stack.api.call('GET', `/sessions/${refused.place.session.id}/attachments`);
      expect(listed.body).toMatchObject({ items: [] });
      const { attachment } = await upload(bytes);
      const before = await stack.api.inspected(attachment.id);
      expect(await change(attachment.id, encoding)).toMatchObject({ status: 422, body: { code: 'ENCODING_MISMATCH' } });
      expect(await stack.api.inspected(attachment.id)).toEqual(before);
    },
  );

  it('is refused where nothing here decodes it, or it is no name', async () => {
    const { attachment } = await upload(streetInDos);
    await stack.api.inspected(attachment.id);
    for (const encoding of ['johab', 'base64', '', 'x'.repeat(65), 7, null, '__proto__']) {
      expect(await change(attachment.id, encoding)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    }
    expect((await upload(streetInDos, '&encoding=klingon')).answer).toMatchObject({ status: 400 });
  });

  it('of a file that the caller may not read is refused [BX-09]', async () => {
    const { place, attachment } = await upload(streetInDos);
    await stack.api.inspected(attachment.id);
    const body = { externalUserId: 'eve', rights: ['attachments:write'], ttlSeconds: 60 };
    const given = await stack.api.call<{ token: string }>('POST', `/sessions/${place.session.id}/tokens`, { body });
    const asEve = { body: { encoding: 'cp850' }, credential: given.body.token };
    const refused = await stack.api.call('PATCH', `/attachments/${attachment.id}`, asEve);
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it('of a file of others is refused as one that is not there', async () => {
    expect(await change('att_PwuMHV4qS3ydjh8qO0xdbg', 'cp850')).toMatchObject({ status: 404 });
  });
});

it('a log with a broken byte and a block of zeros stays a text, and the plan counts them [BX-29]', async () => {
  const line = '2026-11-20 10:00:01 INFO request ok, nothing else to say\n';
  const bytes = Buffer.concat([
    Buffer.from(line.repeat(100)),
    Buffer.alloc(4096),
    Buffer.from(`${line.repeat(90)}répété à l’été`),
    Buffer.from([0xc3]),
  ]);
  const { place, attachment } = await upload(new Uint8Array(bytes));
  expect(await stack.api.inspected(attachment.id)).toMatchObject({
    kind: 'text',
    facts: { textFaults: { replaced: 2 } },
  });
  const { delivery, answer } = await takeTurn(stack.api, place, 'Read it.', [attachment.id]);
  expect(delivery.plan.items[0]?.warnings).toMatchObject([
    { code: 'text_decoded', message: '2 places that are no text replaced by U+FFFD.' },
  ]);
  expect(answer).toContain('the text file "notes.txt"');
});
