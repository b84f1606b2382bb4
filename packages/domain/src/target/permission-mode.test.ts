import { profileSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { allowsOwnTools, permissionModeOf } from './permission-mode.ts';

const profileOf = (given: object) => profileSchema.parse({ runtime: 'acp', command: ['my-agent'], ...given });

describe('a profile’s permission mode', () => {
  it('is its own word, else the stack’s; what is no mode is the stricter one', () => {
    expect(permissionModeOf(profileOf({}), 'gated')).toBe('gated');
    expect(permissionModeOf(profileOf({ permissionMode: 'default' }), 'deny')).toBe('deny');
    expect(permissionModeOf(profileOf({ permissionMode: 'gated' }), 'deny')).toBe('gated');
    expect(permissionModeOf(profileOf({ permissionMode: 'bypass' }), 'gated')).toBe('deny');
  });

  it('is gated where a stack gates what runs in a sandbox, unless the profile has none [BX-22]', () => {
    const modeOf = (given: object) => permissionModeOf(profileOf(given), 'gated-in-sandbox');
    expect(modeOf({})).toBe('gated');
    expect(modeOf({ sandbox: { network: 'none' } })).toBe('gated');
    expect(modeOf({ sandbox: { mode: 'none' } })).toBe('deny');
    expect(modeOf({ sandbox: { mode: 'none' }, permissionMode: 'gated' })).toBe('gated');
    expect(modeOf({ permissionMode: 'deny' })).toBe('deny');
  });

  it('leaves its agents tools of their own only where it is gated, and the program has some', () => {
    expect(allowsOwnTools(profileOf({}), 'gated')).toBe(true);
    expect(allowsOwnTools(profileOf({ permissionMode: 'deny' }), 'gated')).toBe(false);
    expect(allowsOwnTools(profileOf({ ownTools: 'none' }), 'gated')).toBe(false);
  });
});
