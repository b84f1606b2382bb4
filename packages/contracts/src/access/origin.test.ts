import { describe, expect, it } from 'vitest';
import { isLocalOrigin, MAX_ORIGINS, parseOrigin, saveOriginsRequestSchema } from './origin.ts';

describe('an origin', () => {
  it.each([
    ['https://chat.example.com', 'https://chat.example.com'],
    ['HTTPS://Chat.Example.COM:443', 'https://chat.example.com'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://[0:0:0:0:0:0:0:1]:8080', 'http://[::1]:8080'],
  ])('%s is spelled as browsers do', (text, origin) => {
    expect(parseOrigin(text)).toBe(origin);
  });

  it.each([
    ...['null', '*', '', 'https://', 'chat.example.com', 'ftp://a.example', 'file:///a', 'https://*.example.com'],
    ...[
      'https://%2a.example',
      'https://a.example/',
      'https://a.example/path',
      'https://a.example?q',
      'https://a.example#f',
    ],
    ...['https://ann@a.example', 'https://ann:secret@a.example', 'https://a.example.', 'https://a.example:99999'],
    ...['https://a.example, https://b.example', 'https://a.example https://b.example', 'https://a.example\\b'],
    ...['https://a.example\n', ' https://a.example', `https://${'a'.repeat(300)}.example`],
  ])('is not %j', (text) => {
    expect(parseOrigin(text)).toBeUndefined();
  });

  it.each(['http://localhost', 'https://localhost:3000', 'http://127.0.0.1:1', 'https://[::1]:8443'])(
    '%s is of this machine',
    (origin) => {
      expect(isLocalOrigin(origin)).toBe(true);
    },
  );

  it.each([
    ...['null', 'http://localhost.example', 'http://localhost@evil.example', 'http://127.0.0.2', 'http://LOCALHOST'],
    ...[
      'http://localhost.',
      'http://localhost/',
      'http://[::2]',
      'https://evil.example?localhost',
      'http://app.localhost',
    ],
  ])('%s is not', (origin) => {
    expect(isLocalOrigin(origin)).toBe(false);
  });
});

describe('the list of a tenant', () => {
  it('holds each origin once, in order', () => {
    const origins = ['https://b.example', 'HTTPS://A.example', 'https://b.example:443', 'http://localhost:1'];
    const sorted = ['http://localhost:1', 'https://a.example', 'https://b.example'];
    expect(saveOriginsRequestSchema.parse({ origins }).origins).toEqual(sorted);
  });

  it('has a limit, and takes http of no other machine', () => {
    const many = (count: number) => ({ origins: Array.from({ length: count }, (_, i) => `https://a${i}.example`) });
    expect(saveOriginsRequestSchema.safeParse(many(MAX_ORIGINS)).success).toBe(true);
    expect(saveOriginsRequestSchema.safeParse(many(MAX_ORIGINS + 1)).success).toBe(false);
    for (const origin of ['http://a.example', 'http://192.168.0.1', '*', 'null'])
      expect(saveOriginsRequestSchema.safeParse({ origins: [origin] }).success).toBe(false);
  });
});
