// hosted: never – it measures the process that it runs in
import { readdir } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { makeNoisePng, type StackUnderTest, startEmbedded } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

let stack: StackUnderTest;
beforeAll(async () => {
  stack = await startEmbedded();
});
afterAll(() => stack.stop());

const file = makeNoisePng(3_000_000);

type Upload = { open: ClientRequest; answered: Promise<number> };

function startUpload(method: string, path: string, contentType: string): Upload {
  const headers = { authorization: `Bearer ${stack.api.apiKey}`, 'content-type': contentType };
  const open = request(`${stack.api.url}/v1${path}`, { method, headers });
  const answered = new Promise<number>((resolve, reject) => {
    open.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    open.on('error', reject);
  });
  return { open, answered };
}

/** Waits until bytes of an upload whose body has not ended lie in the store's folder for files in work. */
async function waitForBytesInWork(): Promise<void> {
  const folder = join(stack.dataDir, 'blobs', 'tmp');
  await vi.waitUntil(async () => (await readdir(folder)).length > 0, { timeout: 120_000, interval: 5 });
}

// A body that were read into memory before the handler would leave nothing there until its end, and the wait would not end.
describe('an upload is stored while it arrives', () => {
  it('as a raw body [AT-02]', async () => {
    const { session } = await stack.api.createSession();
    const { open, answered } = startUpload('PUT', `/sessions/${session.id}/attachments?name=a.png`, 'image/png');
    open.write(file.subarray(0, 1_500_000));
    await waitForBytesInWork();
    open.end(file.subarray(1_500_000));
    expect(await answered).toBe(201);
  });

  it('as multipart [AT-14]', async () => {
    const { session } = await stack.api.createSession();
    const type = 'multipart/form-data; boundary=edge';
    const { open, answered } = startUpload('POST', `/sessions/${session.id}/attachments`, type);
    open.write(
      '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n',
    );
    open.write(file.subarray(0, 1_500_000));
    await waitForBytesInWork();
    open.write(file.subarray(1_500_000));
    open.end('\r\n--edge--\r\n');
    expect(await answered).toBe(201);
  });
});
