import { createS3BlobStore } from '@attache/blob-store/s3';
import { expect, it, onTestFinished } from 'vitest';
import { redirectToStore } from './redirect-to-store.ts';

const address = { endpoint: 'http://store.internal:9000', bucket: 'files', region: 'us-east-1' };

async function openStore(publicEndpoint: string | undefined) {
  const store = await createS3BlobStore({ ...address, accessKey: 'a', secretKey: 'b', publicEndpoint });
  onTestFinished(() => store.close());
  return store;
}

const picture = { key: `${'a'.repeat(32)}/${'b'.repeat(32)}`, name: 'a.png', mimeType: 'image/png' };

it.each([
  [1e9, '300', 150],
  [300.9, '300', 150],
  [60.5, '60', 30],
  [1, '1', 0],
])('with %s s left the URL of the store lasts %s s, and the answer is kept for %i s', async (left, lasts, kept) => {
  const answer = await redirectToStore(await openStore('https://store.example'), picture, left);
  const location = new URL(answer?.headers.get('location') ?? '');
  expect([answer?.status, location.origin]).toEqual([302, 'https://store.example']);
  expect(location.searchParams.get('X-Amz-Expires')).toBe(lasts);
  expect(answer?.headers.get('cache-control')).toBe(`private, max-age=${kept}`);
});

it('nobody is sent to a store that clients do not reach, or with less than a second left', async () => {
  expect(await redirectToStore(await openStore(undefined), picture, 60)).toBeUndefined();
  expect(await redirectToStore(await openStore('https://store.example'), picture, 0.9)).toBeUndefined();
});
