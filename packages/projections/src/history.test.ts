import { type Marker, type Part, parseMarkers, type ReplayPolicy } from '@attache/contracts';
import { describeEarlier } from '@attache/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesOf } from './__fixtures__/part-lists.ts';
import { attachmentId, givenReference } from './__fixtures__/references.ts';
import { type EarlierMessage, replayHistory } from './history.ts';

const earlier = (attachment: Marker): Part => {
  return { type: 'descriptor', attachmentId: attachment.id, text: describeEarlier(attachment) };
};

const none: ReplayPolicy = { originals: 'none' };
const all: ReplayPolicy = { originals: 'untilCompaction' };

const shot: Marker = { id: attachmentId(1), name: 'a "b"\n].png', mimeType: 'image/png' };
const note: Marker = { id: attachmentId(2), name: 'note.txt', mimeType: 'text/plain' };
const originals: Part[] = [
  { type: 'text', text: 'look\n[…]' },
  { type: 'image', bytes: givenReference(1, 'image/png') },
];
const first: EarlierMessage = { text: 'look', attachments: [shot], parts: originals };
const second: EarlierMessage = { text: 'and this', attachments: [note], parts: [{ type: 'text', text: 'and this' }] };

const messages = fc.array(
  fc
    .record({ message: messagesOf(new Set(['image', 'text-file', 'pages'])), text: fc.string() })
    .map(({ message, text }) => {
      return { text, attachments: message.attachments, parts: message.parts };
    }),
  { maxLength: 6 },
);
const policy = fc.oneof(
  fc.constantFrom(none, all),
  fc.integer({ min: 1, max: 8 }).map((turns): ReplayPolicy => ({ originals: { turns } })),
);

describe('replayHistory', () => {
  it('says of each attachment what it was, and repeats nothing of it [SR-05]', () => {
    expect(replayHistory([first, second], none)).toEqual([
      { type: 'text', text: 'look' },
      earlier(shot),
      { type: 'text', text: 'and this' },
      earlier(note),
    ]);
  });

  it('keeps all originals until compaction, as they were [SR-05 BX-04]', () => {
    expect(replayHistory([first, second], all)).toEqual([...originals, ...(second.parts ?? [])]);
  });

  it.each([
    [1, [{ type: 'text', text: 'look' }, earlier(shot), { type: 'text', text: 'and this' }]],
    [2, [...originals, { type: 'text', text: 'and this' }]],
    [9, [...originals, { type: 'text', text: 'and this' }]],
  ])('keeps the originals of the last %i messages [SR-05]', (turns, expected) => {
    expect(replayHistory([first, second], { originals: { turns } })).toEqual(expected);
  });

  it('describes what is kept by the policy but no longer known', () => {
    const [text, descriptor] = replayHistory([{ text: 'look', attachments: [shot] }], all);
    expect([text, descriptor]).toEqual([{ type: 'text', text: 'look' }, earlier(shot)]);
  });

  it('names an attachment of a message once, and adds no empty text', () => {
    expect(replayHistory([{ text: '', attachments: [shot, shot] }], none)).toEqual([earlier(shot)]);
  });

  it('is the same to the byte when it is made again, under any policy [BX-04]', () => {
    fc.assert(
      fc.property(messages, policy, (history, replayPolicy) => {
        const before = JSON.stringify(replayHistory(history, replayPolicy));
        expect(JSON.stringify(replayHistory(structuredClone(history), replayPolicy))).toBe(before);
      }),
    );
  });

  it('is only added to when messages are added, while the policy moves nothing [BX-04]', () => {
    fc.assert(
      fc.property(messages, messages, fc.constantFrom(none, all), (history, later, replayPolicy) => {
        const before = replayHistory(history, replayPolicy);
        const after = replayHistory([...history, ...later], replayPolicy);
        expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
      }),
    );
  });

  it('holds no bytes of what the policy does not keep [SR-05]', () => {
    fc.assert(
      fc.property(messages, (history) => {
        const types = new Set(replayHistory(history, none).map(({ type }) => type));
        expect([...types].every((type) => type === 'text' || type === 'descriptor')).toBe(true);
      }),
    );
  });

  it('looks at each of 10,000 messages once', () => {
    let reads = 0;
    const attachments = [shot];
    const history = Array.from({ length: 10_000 }, () => ({
      attachments,
      get text() {
        reads += 1;
        return 'look';
      },
    }));
    expect(replayHistory(history, none)).toHaveLength(20_000);
    expect(reads).toBe(10_000);
  });
});

describe('what is said instead', () => {
  it('is the marker and one remark, on one line [SR-05 AT-28]', () => {
    const text = describeEarlier(shot);
    expect(text).toMatch(/^\[attachment id=[^\n]+\] \(sent earlier; its content is not repeated\)$/);
    expect(parseMarkers(text)).toEqual([shot]);
  });
});
