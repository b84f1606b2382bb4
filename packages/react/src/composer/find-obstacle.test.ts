import { describe, expect, it } from 'vitest';
import { en } from '../words/en.ts';
import { findObstacle } from './find-obstacle.ts';

const message = { text: 'hi', items: [], isBusy: false, isSending: false, hasEnded: false, notes: [] };
const blocked = {
  key: 'a',
  becomes: 'blocked',
  text: 'claude cannot get it',
  reason: 'It is locked. Unlock it.',
} as const;

describe('what keeps a message from being sent', () => {
  it.each([
    ['nothing', {}, undefined],
    ['no text and no file', { text: ' ' }, en.writeSomething],
    ['a file without a text', { text: '', items: [{ status: 'ready' as const }] }, undefined],
    ['a file on its way', { isBusy: true, items: [{ status: 'uploading' as const }] }, en.waitForFiles],
    ['a file that failed', { items: [{ status: 'error' as const }] }, en.failedFiles],
    ['a file that an agent cannot get, whose reason the plan tells', { notes: [blocked] }, en.seeReasons],
    ['a session that has ended', { hasEnded: true, items: [{ status: 'error' as const }] }, en.sessionEnded],
    ['a send that runs', { isSending: true }, en.sending],
  ])('%s [DL-08]', (_, change, obstacle) => {
    expect(findObstacle({ ...message, ...change }, en)).toBe(obstacle);
  });
});
