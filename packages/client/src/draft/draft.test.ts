import { describe, expect, it, vi } from 'vitest';
import { describeAttachment } from '../__fixtures__/example-attachment.ts';
import { createScriptedFetch, problem, type SentRequest } from '../__fixtures__/scripted-fetch.ts';
import { createClient } from '../client.ts';
import type { DraftOptions } from './draft-types.ts';

type Server = { status?: 'pending' | 'ready'; answer?(request: SentRequest): Response | undefined };

/** A draft on a server that stores what it gets: the id of a file is its name. */
function openDraft({ status = 'ready', answer }: Server = {}, options: DraftOptions = {}) {
  const { fetch, requests } = createScriptedFetch((request) => {
    const special = answer?.(request);
    if (special) return special;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith('/policy')) return problem(404, 'ROUTE_NOT_FOUND');
    if (request.method === 'DELETE') return new Response(null, { status: 204 });
    if (request.method === 'GET')
      return Response.json({ attachment: describeAttachment(pathname.split('att_')[1] ?? '') });
    const attachment = describeAttachment(searchParams.get('name')?.replace('.txt', '') ?? '', status);
    return Response.json({ attachment, displayUrl: 'https://a.example/raw' }, { status: 201 });
  });
  const session = createClient({ baseUrl: 'https://a.example', fetch }).session('ses_1');
  const draft = session.createDraft({ supported: ['text/*', 'image/*'], ...options });
  const settled = () => vi.waitFor(() => expect(draft.getSnapshot().isBusy).toBe(false), { timeout: 30_000 });
  const sent = (method: string) =>
    requests.filter((request) => request.method === method).map(({ url }) => new URL(url).pathname);
  return { draft, settled, sent, requests };
}

const text = (name: string) => new File(['0123456789'], `${name}.txt`, { type: 'text/plain' });

describe('a draft', () => {
  it('deletes a stored file that is removed, and none of a message that is being sent', async () => {
    const { draft, settled, sent } = openDraft();
    await draft.add([text('a'), text('b')]);
    await settled();
    const [first, second] = draft.getSnapshot().items;
    draft.remove(first?.key ?? '');
    const { attachmentIds, generation } = draft.take();
    expect(attachmentIds).toEqual(['att_b']);
    draft.remove(second?.key ?? '');
    draft.settle(generation, 'failed');
    expect(draft.getSnapshot().items).toEqual([]);
    await vi.waitFor(() => expect(sent('DELETE')).toEqual(['/v1/attachments/att_a']), { timeout: 30_000 });
  });

  it('cleared in the midst of its uploads ends them, and deletes nothing', async () => {
    const { draft, sent, requests } = openDraft({
      answer: ({ method }) => (method === 'PUT' ? (new Promise(() => {}) as never) : undefined),
    });
    await draft.add([text('a'), text('b')]);
    await vi.waitFor(() => expect(sent('PUT')).toHaveLength(2), { timeout: 30_000 });
    draft.clear();
    expect(draft.getSnapshot()).toMatchObject({ generation: 2, items: [], isBusy: false });
    expect(requests.filter(({ method }) => method === 'PUT').every(({ signal }) => signal?.aborted)).toBe(true);
    expect(sent('DELETE')).toEqual([]);
  });

  it('marks the files that are gone on the server, which can be uploaded again', async () => {
    const { draft, settled } = openDraft({
      answer: ({ method, url }) =>
        method === 'GET' && url.endsWith('/att_a') ? problem(404, 'ATTACHMENT_NOT_FOUND') : undefined,
    });
    await draft.add([text('a'), text('b')]);
    await settled();
    await draft.recheck();
    const [gone, present] = draft.getSnapshot().items;
    expect(gone).toMatchObject({ status: 'error', error: { code: 'ATTACHMENT_NOT_FOUND', retryable: true } });
    expect(present).toMatchObject({ status: 'ready' });
    draft.retry(gone?.key ?? '');
    await settled();
    expect(draft.getSnapshot().items).toMatchObject([{ status: 'ready' }, { status: 'ready' }]);
  });

  it('tries a cancelled file again under its key', async () => {
    let isHeld = true;
    const { draft, settled, requests } = openDraft({
      answer: ({ method }) => (method === 'PUT' && isHeld ? (new Promise(() => {}) as never) : undefined),
    });
    await draft.add([text('a')]);
    const key = draft.getSnapshot().items[0]?.key ?? '';
    await vi.waitFor(() => expect(draft.getSnapshot().items[0]?.phase).toBe('sending'), { timeout: 30_000 });
    draft.cancel(key);
    expect(draft.getSnapshot().items[0]).toMatchObject({ status: 'error', error: { code: 'REQUEST_ABORTED' } });
    isHeld = false;
    draft.retry(key);
    await settled();
    expect(draft.getSnapshot().referenceIds).toEqual(['att_a']);
    const puts = requests.filter(({ method }) => method === 'PUT');
    expect(new Set(puts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('waits for the inspection, also of a caller who may only follow the log', async () => {
    const event = (seq: number, kind: string, id: string) =>
      `id: ${seq}\ndata: ${JSON.stringify({ kind, seq, data: { attachmentId: `att_${id}`, kind: 'text', mimeType: 'text/plain', facts: {} } })}\n\n`;
    const log = event(1, 'attachment.added', 'a') + event(2, 'attachment.ready', 'a');
    const { draft, settled } = openDraft({
      status: 'pending',
      answer({ method, url }) {
        if (url.includes('/events')) return new Response(log);
        return method === 'GET' && url.includes('att_') ? problem(403, 'FORBIDDEN') : undefined;
      },
    });
    await draft.add([text('a')]);
    await settled();
    expect(draft.getSnapshot().items[0]).toMatchObject({ status: 'ready', id: 'att_a' });
  });

  it('that is cleared follows the log no longer', async () => {
    const { draft, requests } = openDraft({
      status: 'pending',
      answer({ method, url }) {
        if (url.includes('/events')) return new Response(new ReadableStream<Uint8Array>());
        return method === 'GET' && url.includes('att_') ? problem(403, 'FORBIDDEN') : undefined;
      },
    });
    await draft.add([text('a')]);
    const findStream = () => requests.find(({ url }) => url.includes('/events'));
    await vi.waitFor(() => expect(findStream()).toBeDefined(), { timeout: 30_000 });
    draft.clear();
    await vi.waitFor(() => expect(findStream()?.signal?.aborted).toBe(true), { timeout: 30_000 });
  });

  it('sends a smaller image in the place of a large one, and the large one if that fails', async () => {
    const { draft, settled, requests } = openDraft(
      {},
      {
        async reduceImages(file) {
          if (file.size > 20) throw new Error('too large');
          return new Blob(['small'], { type: 'image/webp' });
        },
      },
    );
    const image = (size: number, name: string) => new File(['x'.repeat(size)], name, { type: 'image/png' });
    await draft.add([image(10, 'a.png'), image(30, 'b.png'), text('c')]);
    await settled();
    const puts = requests.filter(({ method }) => method === 'PUT').map(({ body }) => body as Blob);
    const bodies = puts.map(({ size, type }) => `${type} ${size}`).toSorted();
    expect(bodies).toEqual(['image/png 30', 'image/webp 5', 'text/plain 10']);
  });

  it('judges later files by other rules', async () => {
    const { draft } = openDraft();
    draft.changeRules({ supported: ['image/*'] });
    expect((await draft.add([text('a')])).rejected.map(({ code }) => code)).toEqual(['type']);
  });

  it('begins the uploads of files that were added before it was cleared not at all', async () => {
    const { draft, sent } = openDraft();
    const added = draft.add([text('a')]);
    draft.clear();
    expect([await added, draft.getSnapshot().items, sent('PUT')]).toEqual([{ rejected: [] }, [], []]);
  });
});
