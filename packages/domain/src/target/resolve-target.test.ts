import { profilesFileSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { resolveTarget } from './resolve-target.ts';

const { profiles } = profilesFileSchema.parse({
  profiles: {
    example: { runtime: 'acp', command: ['attache-example-agent'], provider: 'example', model: 'example-vision' },
    gemini: { runtime: 'acp', command: ['gemini', '--acp'] },
    claude: { runtime: 'claude-stream-json', command: ['claude'], provider: 'anthropic' },
  },
});

describe('resolveTarget', () => {
  it.each([
    [{ profile: 'example' }, { profile: 'example', runtime: 'acp', provider: 'example', model: 'example-vision' }],
    [
      { profile: 'example', model: 'example-text' },
      { profile: 'example', runtime: 'acp', provider: 'example', model: 'example-text' },
    ],
    [{ profile: 'gemini' }, { profile: 'gemini', runtime: 'acp', provider: 'gemini', model: 'default' }],
    [
      { profile: 'claude', model: 'm-1' },
      { profile: 'claude', runtime: 'claude-stream-json', provider: 'anthropic', model: 'm-1' },
    ],
  ])('%j', (request, target) => {
    expect(resolveTarget(profiles, request)).toEqual({ ok: true, target });
  });

  it.each([
    [{ profile: 'nope' }, 'unknown-profile'],
    [{ profile: '__proto__' }, 'unknown-profile'],
    [{ profile: 'toString' }, 'unknown-profile'],
    [{ profile: 'example', model: '-rf' }, 'malformed-model'],
    [{ profile: 'example', model: 'a b' }, 'malformed-model'],
    [{ profile: 'example', model: '' }, 'malformed-model'],
    [{ profile: 'claude' }, 'model-missing'],
  ])('refuses %j: %s [DL-12]', (request, reason) => {
    expect(resolveTarget(profiles, request)).toMatchObject({
      ok: false,
      reason,
      message: expect.stringMatching(/(Name|Use) /),
    });
  });
});
