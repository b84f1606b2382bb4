import type { EndEvent } from '@attache/database';
import { expect, it } from 'vitest';
import { judgeEnds } from './end-of-memory.ts';

const written: EndEvent = { kind: 'delivery.written', reason: null };
const responded: EndEvent = { kind: 'delivery.responded', reason: null };
const retargeted: EndEvent = { kind: 'agent.target_changed', reason: null };
const stopped = (reason: string): EndEvent => ({ kind: 'agent.stopped', reason });

it.each([
  ['it rested after an answer', [stopped('idle'), responded, written], { reason: undefined, setbacks: 0 }],
  [
    'it has another target',
    [stopped('target-changed'), retargeted, responded],
    { reason: 'target-changed', setbacks: 0 },
  ],
  [
    'its conversation was too large',
    [stopped('context-full'), written, responded],
    { reason: 'context-full', setbacks: 1 },
  ],
  [
    'its conversation was too large again',
    [stopped('context-full'), written, stopped('context-full'), written, responded],
    { reason: 'context-full', setbacks: 2 },
  ],
  ['it crashed', [stopped('crashed'), written, responded], { reason: undefined, setbacks: 1 }],
  [
    'it crashed after it was too large',
    [stopped('crashed'), written, stopped('context-full'), responded],
    { setbacks: 2 },
  ],
  ['it crashed long ago', [stopped('idle'), responded, written, stopped('crashed')], { setbacks: 0 }],
])('says why an agent remembers nothing: %s', (_, events, expected) => {
  expect(judgeEnds(events)).toMatchObject({ ...expected, isKnown: true });
});

it('looks further back until the agent has answered, or has had too many setbacks', () => {
  expect(judgeEnds([stopped('crashed'), written])).toMatchObject({ setbacks: 1, isKnown: false });
  expect(judgeEnds([])).toEqual({ reason: undefined, setbacks: 0, isKnown: false });
  const crashes = Array.from({ length: 4 }, () => [stopped('crashed'), written]).flat();
  expect(judgeEnds(crashes)).toMatchObject({ setbacks: 4, isKnown: true });
});
