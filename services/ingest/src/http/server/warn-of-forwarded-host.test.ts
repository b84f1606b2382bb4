import { describe, expect, it } from 'vitest';
import { createForwardedHostWarner } from './warn-of-forwarded-host.ts';

function count(publicUrl: string | undefined, ...requests: Record<string, string>[]): number {
  let warnings = 0;
  const log = { warn: () => (warnings += 1) } as never;
  const warn = createForwardedHostWarner({ publicUrl, log });
  for (const headers of requests) warn({ header: (name) => headers[name] });
  return warnings;
}

describe('a forwarded Host without a public URL', () => {
  it.each([
    ['X-Forwarded-Host', { 'x-forwarded-host': 'files.example' }],
    ['Forwarded', { forwarded: 'for=192.0.2.1;proto=https;host=files.example' }],
    ['Forwarded of two proxies', { forwarded: 'for=192.0.2.1, host="files.example"' }],
  ])('is warned about once: %s', (_, headers) => {
    expect(count(undefined, {}, headers as never, headers as never)).toBe(1);
  });

  it('is none where nothing was forwarded, or where the public URL is set', () => {
    expect(count(undefined, {}, { host: '127.0.0.1:4100' }, { forwarded: 'for=192.0.2.1' })).toBe(0);
    expect(count('https://files.example', { 'x-forwarded-host': 'files.example' })).toBe(0);
  });
});
