import { expect, it } from 'vitest';
import { judgeSandbox, settlePermissions } from './settle-sandbox.ts';

const works = { status: 'works', program: '/usr/bin/bwrap' } as const;
const fails = { status: 'unavailable', cause: 'seccomp', remedy: 'Allow it.', said: '' } as const;
const required = (pinnedTenant?: string) => ({ need: 'required', pinnedTenant }) as const;

it('a sandbox is put around agents wherever one works, and nothing is said [BX-22]', () => {
  const settled = { byDefault: 'bubblewrap', notice: undefined };
  for (const policy of [{ need: 'where-it-works' } as const, required(), required('acme')])
    expect(judgeSandbox(policy, works)).toEqual(settled);
});

it('where none works agents run without one on the embedded stack, and one line says why and what to do [BX-22]', () => {
  expect(judgeSandbox({ need: 'where-it-works' }, fails)).toEqual({
    byDefault: 'none',
    notice: 'Agents run without a sandbox and see what this user sees. (seccomp) Allow it.',
  });
});

it('where none works and one is required agents need one, unless the gateway serves one tenant alone [BX-22]', () => {
  expect(judgeSandbox(required(), fails)).toEqual({
    byDefault: 'bubblewrap',
    notice: expect.stringMatching(/no agent starts .+\(seccomp\) Allow it\. Or set ATTACHE_PINNED_TENANT\.$/),
  });
  expect(judgeSandbox(required('acme'), fails)).toEqual({
    byDefault: 'none',
    notice: expect.stringContaining('for the tenant acme alone'),
  });
});

it('what a stack gates for the sandbox of its agents it denies where they have none [BX-21 BX-22]', () => {
  const [boxed, bare] = [judgeSandbox(required('acme'), works), judgeSandbox(required('acme'), fails)];
  expect(settlePermissions('gated-in-sandbox', boxed)).toBe('gated-in-sandbox');
  expect(settlePermissions('gated-in-sandbox', bare)).toBe('deny');
  expect(settlePermissions('gated', bare)).toBe('gated');
});
