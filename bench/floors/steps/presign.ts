import { createHash, createHmac } from 'node:crypto';
import type { StorePlace } from './floor-config.ts';

const LIFETIME_SECONDS = 900;
const REGION = 'us-east-1';

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The path and query of a presigned request for one object (AWS signature version 4, only `host` signed). */
export function presign(place: StorePlace, method: 'GET' | 'PUT' | 'POST', key: string, now = new Date()): string {
  const time = `${now.toISOString().replace(/[-:]|\.\d{3}/g, '')}`;
  const scope = `${time.slice(0, 8)}/${REGION}/s3/aws4_request`;
  const path = `/${place.bucket}/${key}`;
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${place.accessKey}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(LIFETIME_SECONDS),
    'X-Amz-SignedHeaders': 'host',
  }).toString();
  const canonical = [method, path, query, `host:${new URL(place.endpoint).host}`, '', 'host', 'UNSIGNED-PAYLOAD'];
  const digest = createHash('sha256').update(canonical.join('\n')).digest('hex');
  const signingKey = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${place.secretKey}`);
  const signature = hmac(signingKey, ['AWS4-HMAC-SHA256', time, scope, digest].join('\n')).toString('hex');
  return `${path}?${query}&X-Amz-Signature=${signature}`;
}
