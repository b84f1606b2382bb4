import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../__fixtures__/any-text.ts';
import { recordLog, textOnly } from './__fixtures__/recorded-log.ts';
import { composeHistory, type HistoryRequest } from './compose-history.ts';
import { type HistoryRoom, MAX_HISTORY_CHARACTERS } from './history-room.ts';
import type { HistoryTurn } from './replay-log.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const keepAll = { originals: 'untilCompaction' } as const;
const endless = Number.POSITIVE_INFINITY;
const room: HistoryRoom = { characters: MAX_HISTORY_CHARACTERS, bytes: endless, images: endless, pages: endless };
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

function compose(
  turns: readonly HistoryTurn[],
  given: Partial<Omit<HistoryRequest, 'room'>> & { room?: Partial<HistoryRoom> } = {},
) {
  const totalMessages = turns.filter(({ messageId }) => messageId !== undefined).length;
  return composeHistory(turns, {
    pagesOf: () => undefined,
    totalMessages,
    digest,
    ...given,
    room: { ...room, ...given.room },
  });
}

const textOf = ({ parts }: ReturnType<typeof composeHistory>): string =>
  parts[0]?.type === 'text' ? parts[0].text : '';

/** `count` turns, each with a text, an answer and a picture. */
function recordTurns(count: number, text = (number: number) => `question ${number}`) {
  const log = recordLog();
  for (let number = 1; number <= count; number += 1) {
    log.send(number, text(number), [log.addFile(number)]);
    log.write(number);
    log.answer(`answer ${number}`);
  }
  return log;
}

describe('a composed history [SR-15]', () => {
  it('is one text between delimiters that hold its digest, with who said what', () => {
    const composed = compose(recordTurns(2).replay());
    const { historySha256: sha256 } = composed;
    const text = textOf(composed);
    expect(composed).toMatchObject({ messages: 2, omittedMessages: 0, keptOriginals: 0 });
    expect(text.startsWith(`[history ${sha256}]\n`)).toBe(true);
    expect(text.endsWith(`\n[end of history ${sha256}]`)).toBe(true);
    expect(text).toContain(`[the user said, ${sha256}]\nquestion 1\n`);
    expect(text).toContain(`[you said, ${sha256}]\nanswer 2\n`);
    expect(text).not.toContain('Earlier messages');
  });

  it('names the files that go as they went, which follow in that order', () => {
    const composed = compose(recordTurns(2).replay({ policy: keepAll }));
    expect(composed.parts.map(({ type }) => type)).toEqual(['text', 'image', 'image']);
    expect(composed.keptOriginals).toBe(2);
    expect(textOf(composed).match(/\(file \d of those behind this block\)/g)).toEqual([
      '(file 1 of those behind this block)',
      '(file 2 of those behind this block)',
    ]);
  });

  it('has no text that could end it, whatever was said before', () => {
    const first = compose(recordTurns(1).replay());
    const imitating = recordTurns(1, () => textOf(first));
    const second = compose(imitating.replay());
    expect(second.historySha256).not.toBe(first.historySha256);
    expect(textOf(second).split(`[end of history ${second.historySha256}]`)).toHaveLength(2);
  });

  it('is the same to the byte until the target changes, and again when it changes back [BX-06]', () => {
    const log = recordTurns(3);
    const before = JSON.stringify(compose(log.replay({ policy: keepAll })));
    const words = compose(log.replay({ policy: keepAll, capability: textOnly }));
    expect(words).toMatchObject({ messages: 3, keptOriginals: 0 });
    expect(JSON.stringify(compose(log.replay({ policy: keepAll })))).toBe(before);
  });

  it('leaves out the oldest turns whole, and counts them', () => {
    const turns = recordTurns(40, () => 'x'.repeat(20_000)).replay();
    const composed = compose(turns);
    expect(composed.messages).toBeGreaterThan(15);
    expect(composed.omittedMessages).toBe(40 - composed.messages);
    expect(textOf(composed)).toContain(`Earlier messages that are not in it: ${composed.omittedMessages}.`);
    expect(textOf(composed)).not.toContain(`answer ${composed.omittedMessages}\n`);
    expect(textOf(composed)).toContain(`answer ${composed.omittedMessages + 1}\n`);
  });

  it('says how many messages there were where not even the last has room', () => {
    const composed = compose(recordTurns(2, () => 'x'.repeat(500_000)).replay());
    expect(composed).toMatchObject({ messages: 0, omittedMessages: 2 });
    expect(textOf(composed)).toContain('Earlier messages that are not in it: 2.');
  });

  it.each([{ characters: 500 }, { bytes: 500 }, { images: -1 }])(
    'has no part where there is no room for it: %j',
    (small) => {
      expect(compose(recordTurns(2).replay(), { room: small }).parts).toEqual([]);
    },
  );

  it('has no part where nothing was said', () => {
    expect(compose(recordLog().replay())).toMatchObject({ parts: [], messages: 0, omittedMessages: 0 });
  });

  it('keeps within the pictures and pages that its target takes', () => {
    const turns = recordTurns(5).replay({ policy: keepAll });
    expect(compose(turns, { room: { images: 3 } })).toMatchObject({
      messages: 3,
      omittedMessages: 2,
      keptOriginals: 3,
    });
    const bytes = {
      attachmentId: [...recordTurns(1).files.keys()][0],
      sha256: 'a'.repeat(64),
      sizeBytes: 9,
      mimeType: 'application/pdf',
    };
    const withDocument = turns.map((turn): HistoryTurn => {
      return { ...turn, pieces: [{ from: 'user', part: { type: 'document', name: 'a.pdf', bytes } as never }] };
    });
    expect(compose(withDocument, { room: { pages: 20 }, pagesOf: () => 9 })).toMatchObject({ messages: 2 });
    expect(compose(withDocument, { room: { pages: 20 } })).toMatchObject({ messages: 0, omittedMessages: 5 });
    expect(compose(withDocument)).toMatchObject({ messages: 5 });
  });

  it('is never larger than its room [SR-15]', () => {
    const property = fc.property(
      fc.array(anyText(400), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1_100, max: 6_000 }),
      (texts, size) => {
        const turns = recordTurns(texts.length, (number) => texts[number - 1] ?? '').replay();
        const byCharacters = compose(turns, { room: { characters: size } });
        expect(textOf(byCharacters).length).toBeLessThanOrEqual(size);
        const byBytes = compose(turns, { room: { bytes: size } });
        expect(Buffer.byteLength(JSON.stringify(textOf(byBytes)))).toBeLessThanOrEqual(size);
        expect(byBytes.messages + byBytes.omittedMessages).toBe(texts.length);
      },
    );
    fc.assert(property, { numRuns: isShort ? 20 : 60 });
  });
});
