import { Client } from 'minio';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSigner, type SignRequest } from './signer.ts';

const options = { bucket: 'blobs', region: 'eu-central-1', accessKey: 'an id', secretKey: 'a/secret+key' };

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-02T03:04:05Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Signs the same request with the client of MinIO. */
async function signElsewhere(endpoint: URL, { method, key = '', query = {}, expiresInSeconds = 900 }: SignRequest) {
  const isTls = endpoint.protocol === 'https:';
  const client = new Client({
    endPoint: endpoint.hostname.replace(/^\[|\]$/g, ''),
    port: Number(endpoint.port) || (isTls ? 443 : 80),
    useSSL: isTls,
    ...{ region: options.region, accessKey: options.accessKey, secretKey: options.secretKey },
  });
  return client.presignedUrl(method, options.bucket, key, expiresInSeconds, query);
}

/** Two URLs may differ in the order of their parameters alone. */
function readUrl(text: string) {
  const { host, pathname, searchParams, protocol } = new URL(text);
  return { protocol, host, pathname, parameters: Object.fromEntries([...searchParams].toSorted()) };
}

const endpoints = [
  'http://127.0.0.1:9000',
  'http://[::1]:9000',
  'https://s3.example.com',
  'https://s3.example.com:8443',
  'https://s3.amazonaws.com',
];
const requests: SignRequest[] = [
  { method: 'GET', key: 't/0199a1b2/abc_DEF-0' },
  { method: 'PUT', key: 't/x', expiresInSeconds: 60 },
  { method: 'POST', key: 't/x', query: { uploads: '' } },
  { method: 'PUT', key: 't/x', query: { partNumber: '2', uploadId: 'a b+c/d==' } },
  { method: 'GET', key: 't/x', query: { 'response-content-type': 'text/plain; charset=utf-8' } },
  {
    method: 'GET',
    key: 't/x',
    query: { 'response-content-disposition': `attachment; filename="a (1)'!*.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe` },
  },
];

it.each(endpoints.flatMap((endpoint) => requests.map((request) => [endpoint, request] as const)))(
  'signs at %s as another library does: %j',
  async (address, request) => {
    const endpoint = new URL(address);
    const signed = createSigner(endpoint, options)(request);
    expect(readUrl(signed)).toEqual(readUrl(await signElsewhere(endpoint, request)));
  },
);

it('takes the key of another day on the next day', () => {
  const sign = createSigner(new URL('http://127.0.0.1:9000'), options);
  const dayOf = () => new URL(sign({ method: 'GET', key: 'a' })).searchParams.get('X-Amz-Credential')?.split('/')[1];
  expect(dayOf()).toBe('20260102');
  vi.setSystemTime(new Date('2026-01-03T00:00:01Z'));
  expect(dayOf()).toBe('20260103');
});
