// hosted: long – what yields to other work is decided in the projector, in the same way on both stacks
// embedded: long – it takes minutes of a processor
import type { Attachment } from '@attache/contracts';
import { buildCostlyPdf, buildPdf } from '@attache/media/fixtures/pdfs';
import { type Api, makePng, shortLimits } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';

const COSTLY_FILES = 20;
/** A costly file yields to every other program of the machine. */
const UNTIL_TOO_COSTLY = { timeout: 540_000, interval: 200 };
const PDF = 'application/pdf';

let stack: OwnStack;
beforeAll(async () => {
  stack = await openOwnStack({ tenants: ['other'], limits: { media: shortLimits.media } });
});
// Most of the costly files still wait then: a stop gives them up.
afterAll(() => stack.stop());

async function uploadFile(api: Api, sessionId: string, bytes: Uint8Array, type: string): Promise<string> {
  const { attachment } = await api.upload(sessionId, new Uint8Array(bytes), { name: 'file', type });
  return attachment.id;
}

const read = async (api: Api, id: string): Promise<Attachment> =>
  (await api.call<{ attachment: Attachment }>('GET', `/attachments/${id}`)).body.attachment;

it('twenty small files of one tenant that take minutes to read do not keep those of another waiting, and end as too costly [BX-27 S16]', {
  timeout: 600_000,
}, async () => {
  const { api, apiOf } = stack;
  const other = apiOf('other');
  const place = await other.createSession();
  const { session } = await api.createSession();
  const costly: string[] = [];
  for (let mark = 1; mark <= COSTLY_FILES; mark += 1)
    costly.push(await uploadFile(api, session.id, buildCostlyPdf(mark), PDF));

  const document = await uploadFile(other, place.session.id, buildPdf([['One']]), PDF);
  expect(await other.inspected(document)).toMatchObject({ status: 'ready', facts: { pages: 1 } });
  const picture = await uploadFile(other, place.session.id, makePng(40, 30), 'image/png');
  expect(await other.inspected(picture)).toMatchObject({ status: 'ready', facts: { width: 40 } });
  const meanwhile = await Promise.all(costly.map((id) => read(api, id)));
  const left = meanwhile.filter(({ status }) => status === 'pending').length;
  expect(left).toBeGreaterThanOrEqual(COSTLY_FILES / 2);

  for (const id of costly.slice(0, 2)) {
    await vi.waitUntil(async () => (await read(api, id)).status !== 'pending', UNTIL_TOO_COSTLY);
    expect(await read(api, id)).toMatchObject({
      status: 'rejected',
      mimeType: PDF,
      failure: {
        code: 'attachment_inspection_too_costly',
        retryable: false,
        safeDetails: { cause: 'processor-time', attempts: 1 },
      },
    });
  }
  expect(await read(api, costly.at(-1) ?? '')).toMatchObject({ status: 'pending' });
});
