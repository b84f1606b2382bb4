import { profileSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { readReachable, requireReachable } from './require-reachable.ts';

const profileOf = (given: object) => profileSchema.parse({ runtime: 'acp', command: ['my-agent'], ...given });
const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com' };

it('profiles whose agents would reach nobody are refused by name, with what to write [BX-22 AT-10]', () => {
  const profiles = { first: profileOf({}), second: profileOf({}), reached: profileOf({ endpoint }) };
  expect(() => requireReachable(profiles, 'bubblewrap')).toThrow(
    /- The agents of the profile first .+"network": .+\n {2}- The agents of the profile second /,
  );
  expect(() => requireReachable(profiles, 'none')).not.toThrow();
  const written = {
    alone: profileOf({ sandbox: { network: 'none' } }),
    open: profileOf({ sandbox: { mode: 'none' } }),
  };
  expect(() => requireReachable(written, 'bubblewrap')).not.toThrow();
});

it('what a start would refuse a reload refuses too [BX-22 AT-10]', () => {
  const offered = { profiles: { mine: profileOf({}) }, warnings: [] };
  expect(() => readReachable(() => offered, 'bubblewrap')).toThrow('The agents of the profile mine');
  expect(readReachable(() => offered, 'none')).toBe(offered);
});
