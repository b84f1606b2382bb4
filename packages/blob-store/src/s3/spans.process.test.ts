import { startTelemetry } from '@attache/telemetry/setup';
import { expect, it, onTestFinished } from 'vitest';
import { bodyOf, newKey, readAll } from '../../contract/contract-bodies.ts';
import { startHostileServer } from '../__fixtures__/hostile-s3-server.ts';
import { createS3BlobStore } from './blob-store.ts';

it('tells no signature and no credential in spans and faults [S27]', async () => {
  const server = await startHostileServer();
  onTestFinished(() => server.close());
  const login = { accessKey: 'canary-access-key', secretKey: 'canary-secret-key' };
  const store = await createS3BlobStore({ endpoint: server.endpoint, bucket: 'blobs', region: 'us-east-1', ...login });
  onTestFinished(() => store.close());
  const spans: unknown[] = [];
  const telemetry = await startTelemetry({
    serviceName: 'test',
    isExporting: false,
    onSpanEnd: (span) => spans.push(span),
  });
  onTestFinished(() => telemetry.stop());
  const key = newKey();
  await store.put(key, bodyOf('bytes'), { sizeBytes: 5 });
  await readAll(store, key);
  server.behave((request, response) => response.writeHead(403).end(`<Code>SignatureDoesNotMatch</Code>${request.url}`));
  const failures = await Promise.all(
    [store.put(newKey(), bodyOf('x'), { sizeBytes: 1 }), store.get(key), store.delete(key)].map((call) =>
      call.then(
        () => 'no failure',
        (error: Error) => [error, error.message, error.stack, error.cause, String(error.cause)],
      ),
    ),
  );
  expect(spans.map((span) => (span as { name: string }).name).slice(0, 2)).toEqual(['S3.PutObject', 'S3.GetObject']);
  expect(spans[0]).toMatchObject({
    attributes: { 'rpc.method': 'PutObject', 'aws.s3.bucket': 'blobs', 'att.size': 5 },
  });
  expect(JSON.stringify([spans, failures])).not.toMatch(/canary|X-Amz-/i);
});
