import type { NextDelivery } from '@attache/database';
import { expect, it } from 'vitest';
import { holdsEarlierAttempt } from './earlier-attempt.ts';

const at = '2026-11-30T12:00:00.000Z';
const left = { bytes: 900, pixels: 0, images: 0, pages: 0, at };

it.each([
  ['that is tried for the first time', null, at, false],
  ['whose attempt the conversation holds', left, at, true],
  ['whose attempt its runtime took out again', { ...left, bytes: 0 }, at, false],
  ['whose attempt was of an earlier conversation', left, '2026-11-30T12:00:00.001Z', false],
  ['of an agent that never ran', left, undefined, false],
])('a delivery %s', (_, leftBefore, since, isHeld) => {
  const contextSince = since === undefined ? null : new Date(since);
  expect(holdsEarlierAttempt({ row: { leftBefore }, agent: { contextSince } } as NextDelivery)).toBe(isHeld);
});
