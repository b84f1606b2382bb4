import { afterEach, beforeEach, expect, it } from 'vitest';
import { newKey } from '../../contract/contract-bodies.ts';
import { type HostileServer, startHostileServer } from '../__fixtures__/hostile-s3-server.ts';
import { connectS3 } from './client.ts';
import { listUploads } from './list-uploads.ts';

const since = '2026-01-02T03:04:05.678Z';

let server: HostileServer;
beforeEach(async () => {
  server = await startHostileServer();
});
afterEach(() => server.close());

const open = () =>
  connectS3({ ...{ endpoint: server.endpoint, bucket: 'blobs', region: 'us-east-1' }, accessKey: 'a', secretKey: 'b' });
const element = (name: string, text: string) => `<${name}>${text}</${name}>`;
const upload = (key: string, uploadId: string, initiated = since) =>
  element('Upload', [element('Key', key), element('UploadId', uploadId), element('Initiated', initiated)].join('\n'));
const page = (...inner: string[]) =>
  `<?xml version="1.0"?>\n<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner.join('')}</ListMultipartUploadsResult>`;

it('lists the uploads of our blobs from all pages, by the markers that the server gives', async () => {
  const [first, second] = [newKey(), newKey()];
  const asked: Record<string, string | null>[] = [];
  server.behave((request, response) => {
    const { searchParams } = new URL(request.url ?? '', server.endpoint);
    const [key, id] = [searchParams.get('key-marker'), searchParams.get('upload-id-marker')];
    asked.push({ key, id });
    const markers = element('NextKeyMarker', first) + element('NextUploadIdMarker', 'a&amp;b&#x2B;&#47;');
    const pages = [
      page(
        element('IsTruncated', 'true'),
        markers,
        upload(first, 'a&amp;b&#x2B;&#47;'),
        upload('of/somebody.txt', 'x'),
      ),
      page(element('IsTruncated', 'false'), upload(second, 'c'), upload(newKey(), ''), upload(newKey(), 'd', 'never')),
    ];
    response.end(pages[key === null ? 0 : 1]);
  });
  expect(await listUploads(open())).toEqual([
    { key: first, uploadId: 'a&b+/', initiated: new Date(since) },
    { key: second, uploadId: 'c', initiated: new Date(since) },
  ]);
  expect(asked).toEqual([
    { key: null, id: null },
    { key: first, id: 'a&b+/' },
  ]);
});

it('ends where a server names the same place again and again, or answers something else', async () => {
  let count = 0;
  server.behave((_, response) => {
    count += 1;
    response.end(page(element('IsTruncated', 'true'), element('NextKeyMarker', 'same')));
  });
  expect(await listUploads(open())).toEqual([]);
  expect(count).toBe(2);
  server.behave((_, response) => response.end('<html>no</html>'));
  expect(await listUploads(open())).toEqual([]);
});

it('says that the server refuses, and not what was signed', async () => {
  server.behave((_, response) => response.writeHead(403).end(element('Code', 'AccessDenied')));
  await expect(listUploads(open())).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});
