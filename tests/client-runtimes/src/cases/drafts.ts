import { type Draft, type DraftSnapshot, isAttacheError } from '@attache/client';
import type { Case } from '../context.ts';
import { expectEqual, expectTrue, rejectionOf, waitFor } from '../expect.ts';
import { makeFile, makePicture, makeText } from '../files.ts';

const FILES = 500;

const settled = (draft: Draft): Promise<DraftSnapshot> =>
  waitFor('the end of all uploads', () => (draft.getSnapshot().isBusy ? undefined : draft.getSnapshot()));

export const draftCases: readonly Case[] = [
  {
    name: '500 files go three at a time, and none is ready before the server says so',
    async run({ client, seen, openSession }) {
      const draft = client.session((await openSession()).id).createDraft({ concurrency: 3 });
      await seen('PUT', '/attachments');
      let mostSending = 0;
      let isEarly = false;
      draft.subscribe(() => {
        const { items } = draft.getSnapshot();
        mostSending = Math.max(mostSending, items.filter(({ phase }) => phase === 'sending').length);
        isEarly ||= items.some(({ status, sentBytes, totalBytes }) => status !== 'ready' && sentBytes >= totalBytes);
      });
      const files = Array.from({ length: FILES }, (_, index) => makeText(`text ${index}`, `${index}.txt`));
      expectEqual((await draft.add(files, { source: 'drag-drop' })).rejected, [], 'rejections');
      const { items, referenceIds } = await settled(draft);
      expectEqual(new Set(referenceIds).size, FILES, 'ids');
      expectEqual(
        items.map(({ name }) => name),
        files.map(({ name }) => name),
        'order',
      );
      expectEqual([mostSending, isEarly], [3, false], 'files at once, and a full bar before the end');
      const most = Math.max(...(await seen('PUT', '/attachments')).map(({ openAtOnce }) => openAtOnce));
      expectTrue(most <= 3, 'the server never sees more than three');
    },
  },
  {
    name: 'what is certain to be refused is rejected before a byte moves, with limit, value and way out',
    async run({ client, plant, seen, openSession }) {
      const session = client.session((await openSession()).id);
      const policy = await session.policy();
      const small = { ...policy, maxUploadBytes: 2_000, quotaLeftBytes: 2_500 };
      await plant({
        method: 'GET',
        path: '/policy',
        does: 'answer',
        status: 200,
        body: JSON.stringify({ policy: small }),
      });
      const draft = session.createDraft({ maxFiles: 2 });
      await seen('PUT', '/attachments');
      const sound = new File([new Uint8Array(10)], 'song.mp3', { type: 'audio/mpeg' });
      const files = [sound, makeText('', 'empty.txt'), makeText('x'.repeat(3_000), 'large.txt')];
      const { rejected } = await draft.add([...files, makeText('x'.repeat(1_900), 'fits.txt')]);
      expectEqual(
        rejected.map(({ name, code, limit, actual }) => [name, code, limit, actual]),
        [
          ['song.mp3', 'type', undefined, undefined],
          ['empty.txt', 'empty', undefined, undefined],
          ['large.txt', 'size', 2_000, 3_000],
        ],
        'rejections',
      );
      expectTrue(
        rejected.every(({ name, reason }) => reason.includes(name) && /\. \p{L}.*\.$/u.test(reason)),
        'each names the file and a way out',
      );
      await settled(draft);
      expectEqual((await seen('PUT', '/attachments')).length, 1, 'uploads');
      const more = await draft.add([makeText('a', 'a.txt'), makeText('b', 'b.txt')]);
      expectEqual(
        more.rejected.map(({ name, code, limit, actual }) => [name, code, limit, actual]),
        [['b.txt', 'count', 2, 3]],
        'rejections by count',
      );
    },
  },
  {
    name: 'a quota that has no room rejects a file',
    async run({ client, plant, openSession }) {
      const session = client.session((await openSession()).id);
      const policy = { ...(await session.policy()), quotaLeftBytes: 100 };
      await plant({ method: 'GET', path: '/policy', does: 'answer', status: 200, body: JSON.stringify({ policy }) });
      const { rejected } = await session.createDraft().add([makeText('x'.repeat(200), 'a.txt')]);
      expectEqual(
        rejected.map(({ code, limit, actual }) => [code, limit, actual]),
        [['quota', 100, 200]],
        'rejections',
      );
    },
  },
  {
    name: 'a message that is blocked keeps its files, and one that is sent clears exactly its own',
    async run({ client, openSession }) {
      const session = client.session((await openSession('example-text')).id);
      const draft = session.createDraft({ supported: ['image/*', '.txt'] });
      await draft.add([makePicture()]);
      await settled(draft);
      const first = draft.take();
      const refused = await rejectionOf(session.send({ text: 'Look.', attachmentIds: first.attachmentIds }));
      const isBlocked = isAttacheError(refused, 'DELIVERY_BLOCKED');
      expectTrue(isBlocked && refused.failures.length > 0 && refused.plans.length === 1, 'it says why');
      draft.settle(first.generation, 'failed');
      expectEqual(draft.getSnapshot().referenceIds, first.attachmentIds, 'the files that are kept');
      draft.remove(draft.getSnapshot().items[0]?.key ?? '');
      await draft.add([makeText('Hello.', 'hello.txt')]);
      await settled(draft);
      const second = draft.take();
      await draft.add([makeText('Later.', 'later.txt')]);
      await session.send({ text: 'Read.', attachmentIds: second.attachmentIds });
      draft.settle(second.generation, 'sent');
      const { items } = await settled(draft);
      expectEqual(
        items.map(({ name }) => name),
        ['later.txt'],
        'the files of the next message',
      );
    },
  },
  {
    name: 'a draft is restored from the server, and its images become contents of a message',
    async run({ client, openSession }) {
      const session = client.session((await openSession()).id);
      const draft = session.createDraft();
      await draft.add([makePicture()]);
      const { referenceIds } = await settled(draft);
      const restored = session.createDraft();
      const { missing } = await restored.restore([...referenceIds, 'att_AAAAAAAAAAAAAAAAAAAAAA']);
      expectEqual(missing, ['att_AAAAAAAAAAAAAAAAAAAAAA'], 'what is missing');
      const { items } = await settled(restored);
      expectTrue(items[0]?.status === 'ready' && items[0].displayUrl !== undefined, 'it can be shown');
      const [content] = await draft.toImageContents();
      expectEqual([content?.mimeType, content?.filename], ['image/png', 'pixel.png'], 'its content');
      expectTrue(content?.data.startsWith('iVBORw0KGgo') === true, 'its bytes');
    },
  },
  {
    name: 'a file that is rejected by its inspection fails with the words of its failure',
    async run({ client, openSession }) {
      const draft = client.session((await openSession()).id).createDraft();
      const cut = new File([makePicture().slice(0, 40)], 'cut.png', { type: 'image/png' });
      await draft.add([cut, makeFile(10, 'unknown.bin')]);
      const { items } = await settled(draft);
      expectEqual(
        items.map(({ status }) => status),
        ['error', 'ready'],
        'states',
      );
      expectTrue(items[0]?.error?.failure?.userMessage === items[0]?.error?.message, 'it says why');
    },
  },
];
