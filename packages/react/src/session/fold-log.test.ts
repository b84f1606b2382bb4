import type { StreamedEvent } from '@attache/client';
import type { TranscriptEntry } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { addEntries, addEvent, type Log } from './fold-log.ts';

const empty: Log = { entries: [], streaming: {} };
const delta = (text: string) => ({ kind: 'agent.delta', agentId: 'agt_1', type: 'text', text }) as StreamedEvent;
const output = (seq: number, text: string) =>
  ({
    kind: 'agent.output',
    seq,
    at: '',
    actor: {},
    data: { agentId: 'agt_1', item: { type: 'text', text } },
  }) as unknown as StreamedEvent;
const entry = (seq: number, change: object = {}) => ({ type: 'message', seq, ...change }) as TranscriptEntry;

describe('the log of a session', () => {
  it('gathers pieces of a text until it is finished, and never shows it twice', () => {
    const writing = [delta('Hel'), delta('lo')].reduce(addEvent, empty);
    expect(writing.streaming).toEqual({ agt_1: { text: 'Hello', thought: '' } });
    const finished = addEvent(writing, output(3, 'Hello'));
    expect(finished.streaming).toEqual({ agt_1: { text: '', thought: '' } });
    expect(finished.entries).toMatchObject([{ seq: 3, item: { text: 'Hello' } }]);
  });

  it('orders entries by their seq: one that came with an event gives way to that of the transcript', () => {
    const log = addEntries(addEvent(empty, output(3, 'a')), [entry(2), entry(3), entry(1)]);
    expect(log.entries.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'message'],
      [2, 'message'],
      [3, 'message'],
    ]);
  });

  it('drops an unfinished text once its delivery has ended, and not before', () => {
    const writing = addEvent(empty, delta('Hel'));
    const step = (status: string) => entry(4, { type: 'delivery', agentId: 'agt_1', status });
    expect(addEntries(writing, [step('written')]).streaming).toHaveProperty('agt_1');
    expect(addEntries(writing, [step('failed')]).streaming).toEqual({});
  });

  it('stays the same object where nothing changes', () => {
    expect(addEntries(empty, [])).toBe(empty);
    expect(addEvent(empty, { kind: 'session.ended' } as StreamedEvent)).toBe(empty);
  });
});
