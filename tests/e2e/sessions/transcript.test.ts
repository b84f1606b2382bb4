// hosted: long – a log is followed over the bus in session-log.test.ts, too
import { type TranscriptEntry, transcriptEntrySchema } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { openLog } from '../steps/follow-log.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

type Page = { items: TranscriptEntry[]; nextCursor: string | null };

const readPage = async (sessionId: string, query = '', credential?: string) => {
  const path = `/sessions/${sessionId}/transcript?${query}`;
  const answer = await stack.api.call('GET', path, credential === undefined ? {} : { credential });
  expect(answer.status).toBe(200);
  return answer.body as unknown as Page;
};

async function openSeenPicture() {
  const { api } = stack;
  const place = await api.createSession();
  const { attachment } = await api.upload(place.session.id, makePng(20, 20));
  await api.inspected(attachment.id);
  return { place, attachment };
}

describe('a transcript as pages', () => {
  it('tells a turn for people: who said what, with which file, and how it ended [SR-15]', async () => {
    const { place, attachment } = await openSeenPicture();
    const { delivery, answer } = await takeTurn(stack.api, place, 'look', [attachment.id]);
    const { items, nextCursor } = await readPage(place.session.id);
    expect(nextCursor).toBeNull();
    for (const item of items) expect(transcriptEntrySchema.parse(item)).toEqual(item);
    const message = items.find(({ type }) => type === 'message');
    expect(message).toMatchObject({
      text: 'look',
      attachments: [{ id: attachment.id, status: 'ready', mimeType: 'image/png', sha256: attachment.sha256 }],
      deliveryIds: [delivery.id],
    });
    const said = items.flatMap((item) =>
      item.type === 'agent-item' && item.item.type === 'text' ? item.item.text : [],
    );
    expect(said.join('')).toBe(answer);
    const ends = items.flatMap((item) => (item.type === 'delivery' ? item.status : []));
    expect(ends).toEqual(['written', 'responded']);
    const ofFile = items.flatMap((item) =>
      item.type === 'attachment' && item.attachment.id === attachment.id ? item.change : [],
    );
    expect(ofFile).toEqual(['added', 'ready']);
  });

  it('leaves nothing out in small pages, and continues after a seq [SR-15]', async () => {
    const place = await stack.api.createSession();
    await takeTurn(stack.api, place, 'hello');
    const { items: whole } = await readPage(place.session.id);
    const paged: TranscriptEntry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await readPage(place.session.id, `limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.items.length).toBeLessThanOrEqual(2);
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(whole);
    expect((await readPage(place.session.id, 'after=3')).items).toEqual(whole.filter(({ seq }) => seq > 3));
  });

  it('names a deleted file by its id alone [SR-20]', async () => {
    const { place, attachment } = await openSeenPicture();
    await takeTurn(stack.api, place, 'look', [attachment.id]);
    expect((await stack.api.call('DELETE', `/attachments/${attachment.id}`)).status).toBe(204);
    const { items } = await readPage(place.session.id);
    expect(items.find(({ type }) => type === 'message')).toMatchObject({
      attachments: [{ id: attachment.id, status: 'deleted' }],
    });
    expect(JSON.stringify(items.find(({ type }) => type === 'message'))).not.toContain(attachment.sha256);
  });

  it('refuses a place that it does not have', async () => {
    const { session } = await stack.api.createSession();
    for (const query of ['after=999', 'after=-1', 'after=x', 'cursor=x', 'limit=0', 'limit=99999']) {
      const answer = await stack.api.call('GET', `/sessions/${session.id}/transcript?${query}`);
      expect(answer, query).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    }
  });

  it('needs events:read, and attachments:read for more of a file than its id and status [AT-15]', async () => {
    const { place, attachment } = await openSeenPicture();
    await takeTurn(stack.api, place, 'look', [attachment.id]);
    const createToken = async (rights: string[]) => {
      const body = { externalUserId: `user-${rights.join()}`, ttlSeconds: 600, rights };
      return String((await stack.api.call('POST', `/sessions/${place.session.id}/tokens`, { body })).body.token);
    };
    const attachmentsFor = async (rights: string[]) => {
      const { items } = await readPage(place.session.id, '', await createToken(rights));
      const message = items.find((item) => item.type === 'message');
      return message?.attachments;
    };
    expect(await attachmentsFor(['events:read'])).toEqual([{ id: attachment.id, status: 'ready' }]);
    expect(await attachmentsFor(['events:read', 'attachments:read'])).toMatchObject([{ sha256: attachment.sha256 }]);
    const path = `/sessions/${place.session.id}/transcript`;
    const refused = await stack.api.call('GET', path, { credential: await createToken(['attachments:read']) });
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});

describe('a transcript as it grows', () => {
  const follow = (sessionId: string, headers?: Record<string, string>) =>
    openLog(stack.api, sessionId, headers, 'transcript');

  it('is the same fold: what was there, then what comes, each with its seq as id, and no tokens [SR-15]', async () => {
    const place = await stack.api.createSession();
    const log = await follow(place.session.id);
    const followed = log.readUntil((event) => event.event === 'delivery' && event.data.includes('"responded"'));
    await takeTurn(stack.api, place, 'hello');
    const told = await followed;
    const { items } = await readPage(place.session.id);
    expect(told.map(({ id, event }) => [id, event])).toEqual(
      items.slice(0, told.length).map(({ seq, type }) => [String(seq), type]),
    );
    expect(told.map(({ data }) => JSON.parse(data))).toEqual(items.slice(0, told.length));
  });

  it('continues after the last entry that the reader had', async () => {
    const place = await stack.api.createSession();
    await takeTurn(stack.api, place, 'hello');
    const { items } = await readPage(place.session.id);
    const message = items.find(({ type }) => type === 'message');
    const log = await follow(place.session.id, { 'last-event-id': String(message?.seq) });
    const told = await log.readUntil((event) => event.event === 'delivery' && event.data.includes('"responded"'));
    expect(told[0]?.id).toBe(String(items[items.indexOf(message as TranscriptEntry) + 1]?.seq));
  });
});
