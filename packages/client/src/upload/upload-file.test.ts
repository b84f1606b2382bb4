import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeAttachment } from '../__fixtures__/example-attachment.ts';
import { createScriptedFetch } from '../__fixtures__/scripted-fetch.ts';
import { createClient } from '../client.ts';
import type { UploadWay } from './upload-way.ts';

const answer = { attachment: describeAttachment('a'), displayUrl: 'https://a.example/raw' };
const file = new File(['0123456789'], 'a.txt', { type: 'text/plain' });

/** The browser's class, on a server that takes every second request. */
class FlakyXhr {
  static sent: { url: string; headers: Record<string, string>; body: Blob }[] = [];
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null } = { onprogress: null };
  readonly headers: Record<string, string> = {};
  status = 0;
  responseText = '';
  url = '';
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  open(_: string, url: string) {
    this.url = url;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getResponseHeader() {
    return null;
  }
  abort() {
    this.onabort?.();
  }
  send(body: Blob) {
    FlakyXhr.sent.push({ url: this.url, headers: this.headers, body });
    this.upload.onprogress?.({ loaded: 5, total: 10 });
    if (FlakyXhr.sent.length % 2 === 1) return queueMicrotask(() => this.onerror?.());
    this.upload.onprogress?.({ loaded: 10, total: 10 });
    this.status = 201;
    this.responseText = JSON.stringify(answer);
    queueMicrotask(() => this.onload?.());
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  FlakyXhr.sent = [];
});

describe('an upload', () => {
  it('goes by XMLHttpRequest where there is one, with its progress, and once more after a lost connection', async () => {
    vi.stubGlobal('XMLHttpRequest', FlakyXhr);
    const steps: number[] = [];
    const session = createClient({ baseUrl: '/attache', getToken: () => 'secret' }).session('ses_1');
    const stored = await session.upload(file, {
      source: 'clipboard',
      onProgress: ({ sentBytes }) => steps.push(sentBytes),
    });
    expect(stored).toEqual(answer);
    expect(steps).toEqual([5, 5, 10]);
    expect(FlakyXhr.sent.map(({ url }) => url)).toEqual(
      Array(2).fill('/attache/v1/sessions/ses_1/attachments?name=a.txt&source=clipboard'),
    );
    expect(new Set(FlakyXhr.sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(FlakyXhr.sent[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'content-type': 'text/plain' });
  });

  it('is aborted by its signal in a browser', async () => {
    class Silent extends FlakyXhr {
      override send() {}
    }
    vi.stubGlobal('XMLHttpRequest', Silent);
    const cancel = new AbortController();
    const upload = createClient({ baseUrl: '/attache' }).session('ses_1').upload(file, { signal: cancel.signal });
    const refused = expect(upload).rejects.toMatchObject({ code: 'REQUEST_ABORTED' });
    await vi.waitFor(() => cancel.abort(), { timeout: 30_000 });
    await refused;
  });

  it('goes by a given fetch, also where there is an XMLHttpRequest', async () => {
    vi.stubGlobal('XMLHttpRequest', FlakyXhr);
    const { fetch, requests } = createScriptedFetch(() => Response.json(answer, { status: 201 }));
    await createClient({ baseUrl: 'https://a.example', fetch }).session('ses_1').upload(file);
    expect([requests.length, FlakyXhr.sent.length]).toEqual([1, 0]);
  });

  it('of a file that was written to meanwhile fails, and leaves nothing', async () => {
    const written = new File(['0123456789'], 'a.txt');
    let reads = 0;
    Object.assign(written, {
      slice() {
        reads += 1;
        return reads === 1 ? new Blob(['0']) : { arrayBuffer: () => Promise.reject(new Error('NotReadableError')) };
      },
    });
    const { fetch, requests } = createScriptedFetch(({ method }) =>
      method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json(answer, { status: 201 }),
    );
    const upload = createClient({ baseUrl: 'https://a.example', fetch }).session('ses_1').upload(written);
    await expect(upload).rejects.toMatchObject({ code: 'FILE_CHANGED', retryable: false });
    expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      'PUT /v1/sessions/ses_1/attachments',
      `DELETE /v1/attachments/${answer.attachment.id}`,
    ]);
  });

  it('reads a stream anew for each try', async () => {
    const bodies: string[] = [];
    const { fetch } = createScriptedFetch(async ({ body }, index) => {
      bodies.push(await new Response(body as ReadableStream<Uint8Array>).text());
      if (index === 0) throw new TypeError('fetch failed');
      return Response.json(answer, { status: 201 });
    });
    const streamed = { stream: () => new Blob(['streamed']).stream(), name: 'a.txt' };
    await createClient({ baseUrl: 'https://a.example', fetch }).session('ses_1').upload(streamed);
    expect(bodies).toEqual(['streamed', 'streamed']);
  });

  it('takes the first way that supports the file, and the raw PUT where none does', async () => {
    const { fetch, requests } = createScriptedFetch(() => Response.json(answer, { status: 201 }));
    const jobs: string[] = [];
    const resumable: UploadWay = {
      supports: (each) => (each.size ?? 0) > 100,
      async send({ idempotencyKey }) {
        jobs.push(idempotencyKey);
        return answer;
      },
    };
    const session = createClient({ baseUrl: 'https://a.example', fetch, ways: [resumable] }).session('ses_1');
    await session.upload(new Blob(['x'.repeat(200)]), { idempotencyKey: 'large' });
    await session.upload(file);
    expect([jobs, requests.length]).toEqual([['large'], 1]);
  });
});
