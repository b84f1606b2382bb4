import type { ContinuedBy } from '@attache/contracts';
import { expect, it } from 'vitest';
import { noteLostMemory } from './judge-memory.ts';

const stalled = 'delivery_stalled';
const asked = { hasEnded: true, request: undefined };

it.each([
  ['lost where it failed before it asked its model', 'resume', 'relay', stalled, [], true],
  ['lost likewise from a checkpoint', 'checkpoint', 'relay', stalled, [], true],
  ['kept where it asked', 'resume', 'relay', stalled, [asked], false],
  ['kept where somebody cancelled the turn', 'resume', 'relay', 'delivery_cancelled', [], false],
  ['kept where nobody sees what it asks', 'resume', 'program', stalled, [], false],
  ['none where it began with a history', 'rebuild', 'relay', stalled, [], false],
  ['none where it began with nothing', 'fresh', 'relay', stalled, [], false],
] as const)(
  'the memory of a program whose first turn failed is %s [BX-26]',
  (_, by, modelCallsBy, code, requests, isLost) => {
    const memory: { continuedBy: ContinuedBy; isLost: boolean } = { continuedBy: by, isLost: false };
    expect(noteLostMemory({ memory, modelCallsBy }, { code }, { requests: [...requests] })).toBe(isLost);
    expect(memory.isLost).toBe(isLost);
  },
);
