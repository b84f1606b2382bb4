import { describe, expect, it } from 'vitest';
import { judgeTrial, type MachineFacts } from './find-bubblewrap.ts';

const open: MachineFacts = {
  maxUserNamespaces: '96000',
  unprivilegedClone: undefined,
  apparmorRestricts: undefined,
  seccompMode: '0',
};
const noNamespace = 'bwrap: No permissions to create new namespace, likely because the kernel does not allow it.';

describe('what a trial of bubblewrap says', () => {
  it.each([
    ['too-old', 'bwrap: Unknown option --disable-userns', {}],
    ['user-namespaces', 'bwrap: Creating new namespace failed: No space left on device', { maxUserNamespaces: '0' }],
    ['user-namespaces', noNamespace, { unprivilegedClone: '0' }],
    ['user-namespaces', noNamespace, {}],
    ['seccomp', noNamespace, { seccompMode: '2' }],
    ['seccomp', 'bwrap: Failed to make / slave: Operation not permitted', { seccompMode: '2' }],
    ['masked-proc', "bwrap: Can't mount proc on /newroot/proc: Operation not permitted", { seccompMode: '2' }],
    ['apparmor', 'bwrap: setting up uid map: Permission denied', { apparmorRestricts: '1' }],
    ['loopback', 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', { apparmorRestricts: '1' }],
    ['unknown', 'bwrap: out of luck', {}],
  ] as const)('is read as %s: %s', (cause, said, facts) => {
    expect(judgeTrial(said, { ...open, ...facts })).toBe(cause);
  });
});
