import { profileSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { leaveOutUnreachable } from './leave-out-unreachable.ts';

const profileOf = (given: object) => profileSchema.parse({ runtime: 'acp', command: ['my-agent'], ...given });
const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com' };
const offer = (profiles: Record<string, ReturnType<typeof profileOf>>) => ({ profiles, warnings: ['told before'] });

it('profiles whose agents would reach nobody are left out by name, with what to write; the others are offered [BX-22 AT-10]', () => {
  const offered = offer({ first: profileOf({}), reached: profileOf({ endpoint }), second: profileOf({}) });
  const { profiles, warnings } = leaveOutUnreachable(offered, 'bubblewrap');
  expect(profiles).toEqual({ reached: offered.profiles.reached });
  expect(warnings).toEqual([
    'told before',
    expect.stringMatching(/^The agents of the profile first .+"network": .+ It is not offered\.$/),
    expect.stringContaining('the profile second'),
  ]);
});

it('profiles that say what their agents reach, or run without a sandbox, are offered as they are [BX-22]', () => {
  const offered = offer({
    alone: profileOf({ sandbox: { network: 'none' } }),
    open: profileOf({ sandbox: { mode: 'none' } }),
  });
  expect(leaveOutUnreachable(offered, 'bubblewrap')).toEqual(offered);
  const silent = offer({ silent: profileOf({}) });
  expect(leaveOutUnreachable(silent, 'none')).toEqual(silent);
});
