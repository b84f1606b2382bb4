import { profileSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { digestSettings } from './digest-settings.ts';

const given = {
  runtime: 'pi-rpc',
  command: ['/opt/pi/bin/pi'],
  provider: 'anthropic',
  model: 'm',
  env: { A: '1', B: '2' },
  endpoint: { api: 'anthropic', baseUrl: 'https://api.example.com', apiKey: 'env:KEY' },
} as const;

const digest = (rest: object = {}) => digestSettings(profileSchema.parse({ ...given, ...rest }));

it.each([
  ['another folder', { command: ['pi'] }],
  ['another order', { env: { B: '2', A: '1' } }],
  ['other limits', { limits: { turnMs: 1000 } }],
])('settings are the same with %s', (_, rest) => {
  expect(digest()).toMatch(/^[0-9a-f]{64}$/);
  expect(digest(rest)).toBe(digest());
});

it.each([
  ['another stated capability', { capability: { image: false } }],
  ['another argument', { args: ['--quick'] }],
  ['another variable', { env: { A: '1', B: '3' } }],
  ['another program', { command: ['/opt/pi/bin/tau'] }],
  ['another API', { endpoint: { ...given.endpoint, api: 'openai-chat' } }],
])('settings are others with %s [DL-58]', (_, rest) => {
  expect(digest(rest)).not.toBe(digest());
});
