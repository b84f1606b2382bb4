import { isAttacheError, uploadAttachment } from '@attache/client';
import type { Case } from '../context.ts';
import { expectEqual, expectTrue, rejectionOf } from '../expect.ts';
import { hashBytes, makeFile } from '../files.ts';

const PUTS = '/attachments';

export const uploadCases: readonly Case[] = [
  {
    name: 'files of 1 kB to 20 MB arrive whole, and progress grows to all of their bytes',
    async run({ client, openSession }) {
      const session = client.session((await openSession()).id);
      for (const sizeBytes of [1_000, 1_000_000, 20_000_000]) {
        const file = makeFile(sizeBytes);
        const steps: number[] = [];
        const { attachment } = await session.upload(file, { onProgress: ({ sentBytes }) => steps.push(sentBytes) });
        expectEqual([attachment.sizeBytes, attachment.sha256], [sizeBytes, await hashBytes(file)], 'the stored file');
        expectEqual(steps.at(-1), sizeBytes, 'the last step of progress');
        expectTrue(
          steps.every((step, index) => step >= (steps[index - 1] ?? 0)),
          'progress only grows',
        );
      }
    },
  },
  {
    name: 'an upload that is cancelled midway rejects and leaves nothing',
    async run({ client, plant, openSession }) {
      const session = client.session((await openSession()).id);
      await plant({ method: 'PUT', path: PUTS, does: 'hold-body', afterBytes: 1 });
      const cancel = new AbortController();
      const upload = session.upload(makeFile(20_000_000), {
        signal: cancel.signal,
        onProgress: () => cancel.abort(),
      });
      expectTrue(isAttacheError(await rejectionOf(upload), 'REQUEST_ABORTED'), 'it is aborted');
      expectEqual((await session.attachments()).items.length, 0, 'attachments');
    },
  },
  {
    name: 'a connection that is cut before, during or after an upload costs no second attachment',
    async run({ client, plant, seen, openSession }) {
      const session = client.session((await openSession()).id);
      await seen('PUT', PUTS);
      await plant(
        { method: 'PUT', path: PUTS, does: 'cut-before' },
        { method: 'PUT', path: PUTS, does: 'cut-body', afterBytes: 500_000 },
        { method: 'PUT', path: PUTS, does: 'lose-answer' },
      );
      const { attachment } = await session.upload(makeFile(2_000_000));
      const keys = new Set((await seen('PUT', PUTS)).map(({ idempotencyKey }) => idempotencyKey));
      expectEqual(keys.size, 1, 'idempotency keys');
      const { items } = await session.attachments();
      expectEqual(
        items.map(({ id }) => id),
        [attachment.id],
        'attachments',
      );
    },
  },
  {
    name: 'an answer 503 or 429 is waited out as its Retry-After says; a used-up quota is not',
    async run({ client, plant, seen, openSession }) {
      const session = client.session((await openSession()).id);
      await seen('PUT', PUTS);
      const problem = (code: string) => JSON.stringify({ code, detail: 'Wait.', retryable: true });
      const refuse = (status: number, code: string) =>
        ({
          method: 'PUT',
          path: PUTS,
          does: 'answer',
          status,
          headers: { 'retry-after': '1' },
          body: problem(code),
        }) as const;
      await plant(refuse(503, 'STORAGE_UNAVAILABLE'), refuse(429, 'RATE_LIMITED'));
      await session.upload(makeFile(1_000));
      expectEqual((await seen('PUT', PUTS)).length, 3, 'tries');
      await plant(refuse(429, 'QUOTA_EXCEEDED'));
      const refused = await rejectionOf(session.upload(makeFile(1_000)));
      expectTrue(isAttacheError(refused, 'QUOTA_EXCEEDED') && refused.retryAfterSeconds === 1, 'the quota is named');
      expectEqual((await seen('PUT', PUTS)).length, 1, 'tries at the quota');
    },
  },
  {
    name: 'a Blob that cannot be read, or that changes meanwhile, is named and not tried again',
    async run({ client, plant, openSession }) {
      const session = client.session((await openSession()).id);
      const broken = breakReads(makeFile(1_000), 0);
      expectTrue(isAttacheError(await rejectionOf(session.upload(broken)), 'FILE_UNREADABLE'), 'it is unreadable');
      await plant({ method: 'PUT', path: PUTS, does: 'cut-before', count: 5 });
      const changed = await rejectionOf(session.upload(breakReads(makeFile(1_000), 1)));
      expectTrue(isAttacheError(changed, 'FILE_CHANGED'), 'it has changed');
      await plant();
    },
  },
  {
    name: 'one function uploads a file without a client of its own',
    async run({ baseUrl, apiKey, openSession }) {
      const { id } = await openSession();
      const { attachment, displayUrl } = await uploadAttachment(baseUrl, id, makeFile(1_000, 'one.bin'), {
        getToken: () => apiKey,
        source: 'clipboard',
      });
      expectEqual([attachment.name, attachment.source], ['one.bin', 'clipboard'], 'its description');
      expectTrue(displayUrl.includes(attachment.id), 'its URL');
    },
  },
];

/** A file whose parts can be read so often, as one that is removed from its disk. */
function breakReads(file: File, goodReads: number): File {
  let reads = 0;
  const slice = file.slice.bind(file);
  Object.defineProperty(file, 'slice', {
    value: (...range: [number, number]) => {
      const part = slice(...range);
      reads += 1;
      const isBroken = reads > goodReads;
      const fail = () => Promise.reject(new DOMException('The file could not be read.', 'NotReadableError'));
      if (isBroken) Object.defineProperty(part, 'arrayBuffer', { value: fail });
      return part;
    },
  });
  return file;
}
