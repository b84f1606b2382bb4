import type { SessionPolicy } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { listAccepted } from './accept.ts';

const agent = (agentId: string, kinds: Record<string, string[]>, tools = 'no') => ({
  ...{ agentId, tools },
  accepts: Object.entries(kinds).map(([kind, mimeTypes]) => ({ kind, accepted: 'yes', mimeTypes })),
});
const policyOf = (...agents: unknown[]) => ({ agents }) as SessionPolicy;

describe('the types that a picker offers', () => {
  it('are images while nothing is known, and the given ones where some are given [AT-37]', () => {
    expect(listAccepted({})).toBe('image/*');
    expect(listAccepted({ supported: ['.pdf', 'text/*'], policy: policyOf() })).toBe('.pdf,text/*');
  });

  it('are those that the target takes [AT-37]', () => {
    const policy = policyOf(
      agent('one', { image: ['image/png'], document: ['application/pdf'] }),
      agent('two', { audio: ['audio/wav'] }),
    );
    expect(listAccepted({ policy, to: ['one'] })).toBe('image/*,image/png,application/pdf');
    expect(listAccepted({ policy })).toContain('audio/*');
  });

  it('are all where an agent opens files with tools', () => {
    expect(listAccepted({ policy: policyOf(agent('one', {}, 'yes')) })).toBe('');
  });
});
