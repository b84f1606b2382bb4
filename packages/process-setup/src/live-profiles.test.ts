import { Fault, type Profiles, profileSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { createLiveProfiles, reloadProfiles } from './live-profiles.ts';

const profile = (program: string) => profileSchema.parse({ runtime: 'acp', command: [program] });
const before = { kept: profile('a'), changed: profile('b'), removed: profile('c') };
const after = { kept: profile('a'), changed: profile('other'), added: profile('d') };

function reload(readProfiles: () => Profiles, warnings: string[] = []) {
  const live = createLiveProfiles(before);
  const lines: [level: string, fields: object, message: string][] = [];
  const log = {
    info: (fields: object, message: string) => void lines.push(['info', fields, message]),
    warn: (fields: object, message: string) => void lines.push(['warn', fields, message]),
  };
  const offer = () => ({ profiles: readProfiles(), warnings });
  const onReplaced = () => void lines.push(['info', {}, 'replaced']);
  const act = () => reloadProfiles({ live, readProfiles: offer, onReplaced, log });
  return { live, lines, act };
}

describe('profiles that are read again', () => {
  it('are found by whoever holds them, and what changed is told by its names', () => {
    const { live, lines, act } = reload(() => after);
    const held = live.profiles;
    act();
    expect(held).toEqual(after);
    expect(lines).toEqual([
      ['info', { added: ['added'], removed: ['removed'], changed: ['changed'] }, 'profiles.reloaded'],
      ['info', {}, 'replaced'],
    ]);
  });

  it('that are left out are told in one line each', () => {
    const { lines, act } = reload(() => before, ['one is not offered']);
    act();
    expect(lines[0]).toEqual(['warn', { warning: 'one is not offered' }, 'profiles.warning']);
  });

  it('leave the given object as it is', () => {
    const { act } = reload(() => after);
    act();
    expect(Object.keys(before)).toEqual(['kept', 'changed', 'removed']);
  });

  it('stay where the new ones are faulty, with one warning that names all faults', () => {
    const { live, lines, act } = reload(() => {
      throw new Fault('CONFIGURATION_INVALID', 'The profiles are faulty:\n  - one: is wrong\n  - two: is wrong too');
    });
    act();
    expect(live.profiles).toEqual(before);
    const faults = ['The profiles are faulty:', 'one: is wrong', 'two: is wrong too'];
    expect(lines).toEqual([['warn', { faults }, 'profiles.not_reloaded']]);
  });

  it('pass on an error of another kind', () => {
    const { act } = reload(() => {
      throw new TypeError('a bug');
    });
    expect(act).toThrow('a bug');
  });
});
