import { makePng, shareServers, startHosted } from '@attache/test-harness';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

const servers = inject('servers');
const { versitygw } = servers;
const hasServers = Boolean(servers.postgres && servers.minio && servers.nats && versitygw);
const title = 'a store that clients reach themselves';

(hasServers ? describe : describe.skip)(
  hasServers ? title : `${title}: it needs Postgres, NATS, MinIO and versitygw`,
  () => {
    it('serves a signed URL by a redirect to its own, which ends soon, keeps name and type, and opens nothing there [AT-19 AT-22]', async () => {
      if (!versitygw) return;
      // The MinIO of these tests would be refused: whoever sees one of its presigned URLs can write to it (CVE-2026-41145).
      const store = { ...shareServers(servers), minio: versitygw };
      const stack = await startHosted({
        servers: store,
        environment: { ATTACHE_S3_PUBLIC_ENDPOINT: versitygw.endpoint },
      });
      onTestFinished(() => stack.stop());
      const { session } = await stack.api.createSession();
      const bytes = makePng(30, 30);
      const { attachment } = await stack.api.upload(session.id, bytes, { name: 'évening.png' });
      await stack.api.inspected(attachment.id);
      const path = `/attachments/${attachment.id}/urls`;
      const { body } = await stack.api.call<{ url: string }>('POST', path, { body: { disposition: 'inline' } });

      const first = await fetch(body.url, { redirect: 'manual' });
      expect(first.status).toBe(302);
      const location = new URL(first.headers.get('location') ?? '');
      expect(location.origin).toBe(versitygw.endpoint);
      expect(Number(location.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(300);
      expect(first.headers.get('referrer-policy')).toBe('no-referrer');

      const short = await stack.api.call<{ url: string }>('POST', path, { body: { ttlSeconds: 60 } });
      const ends = new URL((await fetch(short.body.url, { redirect: 'manual' })).headers.get('location') ?? '');
      expect(Number(ends.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(60);

      const followed = await fetch(body.url, { headers: { range: 'bytes=0-99' } });
      expect(followed.status).toBe(206);
      expect(new Uint8Array(await followed.arrayBuffer())).toEqual(bytes.subarray(0, 100));
      expect(followed.headers.get('content-type')).toBe('image/png');
      expect(followed.headers.get('content-disposition')).toContain('attachment');

      const head = await fetch(body.url, { method: 'HEAD', redirect: 'manual' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
      await stack.api.call('DELETE', path);
      expect((await fetch(body.url, { redirect: 'manual' })).status).toBe(401);
    });
  },
);
