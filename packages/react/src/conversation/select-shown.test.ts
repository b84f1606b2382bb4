import type { TranscriptEntry } from '@attache/contracts';
import { expect, it } from 'vitest';
import { selectShown } from './select-shown.ts';

const list = (...entries: object[]) => entries.map((entry, index) => ({ seq: index + 1, ...entry }) as TranscriptEntry);
const shown = (entries: readonly TranscriptEntry[]) => selectShown(entries).map(({ seq }) => seq);

const gated = (agentId: string, status: string) => ({ type: 'tool-call', agentId, callId: '1', status });
const own = (agentId: string, deliveryId: string) => ({
  ...{ type: 'agent-item', agentId, deliveryId },
  item: { type: 'tool-call', callId: '1' },
});

it('a later step of a call takes the place of the earlier one', () => {
  expect(shown(list(gated('a', 'called'), gated('a', 'completed'), own('a', 'd'), own('a', 'd')))).toEqual([2, 4]);
});

it('calls of other turns and agents with the same id stay', () => {
  const steps = [gated('a', 'called'), gated('b', 'called'), gated('a', 'completed'), gated('a', 'called')];
  expect(shown(list(...steps))).toEqual([2, 3, 4]);
  expect(shown(list(own('a', 'd'), own('a', 'e'), own('b', 'e')))).toEqual([1, 2, 3]);
});
