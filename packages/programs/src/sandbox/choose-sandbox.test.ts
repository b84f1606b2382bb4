import { profileSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { programs } from '../programs.ts';
import { chooseSandbox, describeUnreachable } from './choose-sandbox.ts';

const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com' };
const profileOf = (given: object) => profileSchema.parse({ runtime: 'acp', command: ['my-agent'], ...given });
const networkOf = (given: object) => {
  const choice = chooseSandbox(profileOf(given), 'bubblewrap');
  return choice.status === 'sandboxed' ? choice.sandbox.network : choice.status;
};

describe('the sandbox of a profile', () => {
  it('is its own word, else the choice of the stack [BX-22]', () => {
    const statusOf = (sandbox: object | undefined, byDefault: 'bubblewrap' | 'none') =>
      chooseSandbox(profileOf({ endpoint, sandbox }), byDefault).status;
    expect(statusOf(undefined, 'bubblewrap')).toBe('sandboxed');
    expect(statusOf(undefined, 'none')).toBe('none');
    expect(statusOf({ pids: 7 }, 'none')).toBe('none');
    expect(statusOf({ mode: 'none' }, 'bubblewrap')).toBe('none');
    expect(statusOf({ mode: 'bubblewrap' }, 'none')).toBe('sandboxed');
  });

  it('keeps what the profile says of it [BX-22]', () => {
    const sandbox = { network: { allow: ['a.example:443'] }, readOnly: ['/srv/a'], memoryBytes: 5, pids: 7 };
    expect(chooseSandbox(profileOf({ endpoint, sandbox }), 'bubblewrap')).toEqual({ status: 'sandboxed', sandbox });
  });

  it('reaches the endpoint, else the hosts of its program, else nobody knows what [BX-22 BX-24]', () => {
    expect(networkOf({ endpoint })).toBe('relay');
    expect(networkOf({ command: ['attache-example-agent'] })).toBe('none');
    expect(networkOf({ runtime: 'claude-stream-json', command: ['claude'] })).toEqual({
      allow: expect.arrayContaining(['api.anthropic.com:443']),
    });
    expect(networkOf({})).toBe('unreachable');
    expect(networkOf({ sandbox: { network: 'none' } })).toBe('none');
    expect(describeUnreachable('mine')).toContain('The agents of the profile mine');
  });
});

it.each(programs.filter(({ hosts }) => hosts !== undefined))(
  'the hosts of $name are what a profile may allow [BX-22]',
  ({ hosts }) => {
    if (hosts?.length === 0) return expect(hosts).toEqual([]);
    const sandbox = { network: { allow: hosts } };
    expect(profileOf({ sandbox }).sandbox?.network).toEqual({ allow: hosts });
  },
);
