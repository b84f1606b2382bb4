import { expect, it } from 'vitest';
import { profileSchema } from './profile.ts';

const profile = { runtime: 'acp', command: ['/opt/agent'] };
const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com' };

const isAccepted = (network: unknown, rest: object = {}) =>
  profileSchema.safeParse({ ...profile, ...rest, sandbox: { mode: 'bubblewrap', network } }).success;

it('a sandbox may allow names with a port, with an endpoint or without [BX-22]', () => {
  const network = { allow: ['api.example.com:443', 'registry-1.example:65535', 'localhost:1'] };
  expect(isAccepted(network)).toBe(true);
  expect(isAccepted(network, { endpoint })).toBe(true);
});

it.each([
  'example.com',
  'example.com:0',
  'example.com:65536',
  'Example.com:443',
  'example.com.:443',
  '*.example.com:443',
  'https://example.com:443',
  '127.0.0.1:443',
  '127.1:443',
  '2130706433:443',
  'a.0x7f:443',
  '[::1]:443',
  `${'a.'.repeat(127)}com:443`,
])('a sandbox does not allow %s [BX-22]', (allowed) => {
  expect(isAccepted({ allow: [allowed] })).toBe(false);
});

it('a sandbox that allows must say what, and nothing else', () => {
  expect(isAccepted({ allow: [] })).toBe(false);
  expect(isAccepted({ allow: ['example.com:443'], deny: [] })).toBe(false);
});
