import { profileSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { findDenial, isUndeniable } from './find-denial.ts';

const profileOf = (given: object) => profileSchema.parse({ runtime: 'acp', command: ['my-agent'], ...given });

describe('that a program has no tools of its own under deny', () => {
  it.each([
    { runtime: 'claude-stream-json', command: ['claude'] },
    { runtime: 'codex-app-server', command: ['codex'] },
    { runtime: 'pi-rpc', command: ['pi'] },
    ...['claude-agent-acp', '/opt/bin/codex-acp', 'gemini', 'opencode', 'attache-example-agent'].map((program) => ({
      command: [program],
    })),
  ])('was tried: %j', (given) => {
    expect(findDenial(profileOf(given))).toMatchObject({ evidence: 'trial' });
  });

  it('is the operator’s to say of one that no row names, and unknown else [BX-21]', () => {
    expect(findDenial(profileOf({ ownTools: 'none' }))).toEqual({ evidence: 'operator' });
    expect(findDenial(profileOf({}))).toBeUndefined();
    expect(findDenial(profileOf({ runtime: 'opencode-run' }))).toBeUndefined();
  });

  it('is not known of one that runs a known program elsewhere', () => {
    expect(findDenial(profileOf({ command: ['docker', 'run', 'gemini'] }))).toBeUndefined();
    expect(findDenial(profileOf({ command: ['/usr/bin/node', '/opt/gemini.js'] }))).toMatchObject({
      evidence: 'trial',
    });
  });
});

describe('a profile cannot be denied its tools', () => {
  it('where deny is its mode, by its own word or the stack’s, and nothing shows that it holds', () => {
    expect(isUndeniable(profileOf({ permissionMode: 'deny' }), 'gated')).toBe(true);
    expect(isUndeniable(profileOf({}), 'deny')).toBe(true);
    expect(isUndeniable(profileOf({ permissionMode: 'default' }), 'deny')).toBe(true);
    expect(isUndeniable(profileOf({ permissionMode: 'gated' }), 'deny')).toBe(false);
    expect(isUndeniable(profileOf({}), 'gated')).toBe(false);
    expect(isUndeniable(profileOf({ permissionMode: 'deny', ownTools: 'none' }), 'deny')).toBe(false);
  });
});
