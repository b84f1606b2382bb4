import { describe, expect, it } from 'vitest';
import { parseNatsUrl } from './url.ts';

describe('parseNatsUrl', () => {
  it('parts addresses and credentials', () => {
    expect(parseNatsUrl('nats://ingest:p%40ss@one:4223, nats://two')).toEqual({
      servers: ['one:4223', 'two:4222'],
      user: 'ingest',
      pass: 'p@ss',
      isTls: false,
    });
    expect(parseNatsUrl('tls://secret-token@one')).toEqual({
      servers: ['one:4222'],
      token: 'secret-token',
      isTls: true,
    });
    expect(parseNatsUrl('nats://127.0.0.1:4222')).toEqual({ servers: ['127.0.0.1:4222'], isTls: false });
  });

  it.each(['', 'localhost:4222', 'http://one', 'nats://', 'nats://u:%zz@one', 'nats://canary:secret@one:no'])(
    'refuses %j by one sentence that names the variable and no credential [S27]',
    (url) => {
      expect(() => parseNatsUrl(url)).toThrow(/^ATTACHE_NATS_URL is no list of nats:\/\/ or tls:\/\/ addresses\.$/);
    },
  );
});
