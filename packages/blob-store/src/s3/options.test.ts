import { describe, expect, it } from 'vitest';
import { connectS3 } from './client.ts';
import { toAnswerFault } from './fault.ts';
import { parseEndpoint, type S3Options } from './options.ts';

const options: S3Options = {
  endpoint: 'http://127.0.0.1:9000',
  bucket: 'blobs',
  region: 'us-east-1',
  accessKey: 'key',
  secretKey: 'secret',
};

describe('S3 options', () => {
  it.each(['', 's3.example.com', 'ftp://host', 'http://host/path', 'http://user:word@host', 'http://host/?a=b'])(
    'refuses the endpoint %j and names its variable',
    (endpoint) => {
      const parse = () => parseEndpoint(endpoint, 'ATTACHE_S3_ENDPOINT');
      expect(parse).toThrow(/^ATTACHE_S3_ENDPOINT must be an address/);
    },
  );

  it.each([
    ['ATTACHE_S3_BUCKET', { bucket: 'No' }],
    ['ATTACHE_S3_REGION', { region: '' }],
    ['ATTACHE_S3_ACCESS_KEY', { accessKey: '' }],
    ['ATTACHE_S3_SECRET_KEY', { secretKey: '' }],
  ])('names %s where it cannot be right', (variable, changed) => {
    expect(() => connectS3({ ...options, ...changed })).toThrow(variable);
  });

  it.each([
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/blobs/'],
    ['https://s3.example.com', 'https://s3.example.com/blobs/'],
    ['http://[::1]:9000', 'http://[::1]:9000/blobs/'],
  ])('signs for the host of %s', (endpoint, start) => {
    const s3 = connectS3({ ...options, endpoint });
    const url = s3.sign({ method: 'GET', key: 'name' });
    expect(url.startsWith(start)).toBe(true);
    expect(new URL(url).host).toBe(new URL(endpoint).host);
  });
});

it('repeats no word of an answer but its code: servers tell the signature they expected [S27]', () => {
  const text = '<Error><Code>SignatureDoesNotMatch</Code><SignatureProvided>canary</SignatureProvided></Error>';
  const fault = toAnswerFault('PutObject', { status: 403, headers: {}, text }, undefined);
  expect(fault).toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true });
  expect(fault.message).toContain('403 SignatureDoesNotMatch');
  expect(JSON.stringify([String(fault), fault, fault.cause, String(fault.cause), fault.stack])).not.toContain('canary');
});
