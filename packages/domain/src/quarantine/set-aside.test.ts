import { describe, expect, it } from 'vitest';
import type { WireBlock } from '../receipt/wire-facts.ts';
import { picture, words } from './__fixtures__/wire-requests.ts';
import { chooseAside, type FullRequest } from './set-aside.ts';

const answer = words('fine', 'assistant');
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
const pictures = (names: readonly string[], place: WireBlock['place'] = 'user') =>
  names.map((name) => picture(name, { place }));
/** A conversation, and what a turn adds to it. */
const given = (before: readonly WireBlock[], added: readonly WireBlock[], rest: Partial<FullRequest> = {}) => ({
  ...{ blocks: [...before, answer, ...added], sizeBytes: 1_000, firstOfTurn: undefined },
  ...{ earlier: { blocks: before, answer: { status: 200, hasBegun: true } } },
  ...rest,
});
const none = () => 0;
const limits = { images: 10 };
const namesOf = (parts: ReturnType<typeof chooseAside>) => parts.map(({ wireSha256 }) => wireSha256);

describe('a request with more pictures than its model takes [BX-33]', () => {
  it('sets the oldest ones aside until half of the limit is left, so that the next turns change nothing', () => {
    const before = pictures(numbers(1, 10));
    const chosen = chooseAside(given(before, pictures(['11'])), limits, none);
    expect(namesOf(chosen)).toEqual(numbers(1, 6));
    expect(chosen[0]).toEqual({ wireSha256: '1', occurrences: 1, code: 'too_many_images' });
    const replaced = (name: string) => (Number(name) <= 6 ? 1 : 0);
    expect(chooseAside(given(before, pictures(numbers(11, 16))), limits, replaced)).toEqual([]);
    expect(namesOf(chooseAside(given(before, pictures(numbers(11, 17))), limits, replaced))).toEqual(numbers(7, 10));
  });

  it('sets nothing aside within its limits, or where no limit is known', () => {
    const request = given(pictures(numbers(1, 9)), pictures(['10']));
    expect(chooseAside(request, limits, none)).toEqual([]);
    expect(chooseAside(request, {}, none)).toEqual([]);
    expect(chooseAside({ ...request, blocks: undefined }, { images: 1, bytes: 1 }, none)).toEqual([]);
  });

  it('keeps what its newest message brings, though half of the limit is less', () => {
    expect(namesOf(chooseAside(given(pictures(['a', 'b']), pictures(numbers(1, 9))), limits, none))).toEqual([
      'a',
      'b',
    ]);
    expect(chooseAside(given([], pictures(numbers(1, 11))), limits, none)).toEqual([]);
  });

  it('knows the newest message of a program that was started again by what came after its last answer', () => {
    const [before, added] = [pictures(numbers(1, 8)), pictures(numbers(9, 14))];
    const first = given(before, added, { earlier: 'unseen' });
    expect(namesOf(chooseAside(first, limits, none))).toEqual(numbers(1, 8));
    const later = { ...first, blocks: [...(first.blocks ?? []), answer, ...pictures(['15'], 'tool-result')] };
    const given2 = { ...later, firstOfTurn: { blocks: first.blocks, answer: undefined } };
    expect(namesOf(chooseAside(given2, limits, none))).toEqual(numbers(1, 8));
  });

  it('lets what its tools showed go, too, but for the newest of it', () => {
    const shown = pictures(numbers(1, 8), 'tool-result');
    const request = given(pictures(['a']), [...pictures(numbers(20, 23)), ...shown]);
    // Beside four of the message, half of the six other places.
    expect(namesOf(chooseAside(request, limits, none))).toEqual(['a', ...numbers(1, 5)]);
  });

  it('takes one that was set aside and is shown again for a new one', () => {
    const before = pictures(['a', ...numbers(1, 9)]);
    const again = given(before, pictures(['a'], 'tool-result'));
    expect(chooseAside(again, limits, (name) => (name === 'a' ? 1 : 0))).toEqual([]);
    const later = given([...before, ...pictures(['a'], 'tool-result')], pictures(numbers(10, 15)));
    const chosen = chooseAside(later, limits, (name) => (name === 'a' ? 1 : 0));
    expect(chosen.at(-1)).toMatchObject({ wireSha256: 'a', occurrences: 2 });
    expect(namesOf(chosen)).toEqual([...numbers(1, 9), 'a']);
  });

  it('never replaces a picture of the newest message for an equal one behind it', () => {
    const request = given(pictures(numbers(1, 9)), [...pictures(['a']), ...pictures(['a', 'a'], 'tool-result')]);
    expect(namesOf(chooseAside(request, { images: 3 }, none))).toEqual(numbers(1, 9));
  });

  it('leaves out what no text can replace, and what is no picture', () => {
    const screenshot = picture('shot', { place: 'tool-result', isListed: false });
    const sound = picture('sound', { mimeType: 'audio/wav' });
    const request = given([screenshot, sound, ...pictures(numbers(1, 10))], pictures(['11']));
    expect(namesOf(chooseAside(request, limits, none))).toEqual(numbers(1, 6));
  });
});

describe('a request with more bytes than its model takes [BX-33]', () => {
  it('sets the oldest pictures aside until half of the limit is left', () => {
    const large = (name: string) => picture(name, { sizeBytes: 300 });
    const request = given(numbers(1, 4).map(large), [large('5')], { sizeBytes: 2_100 });
    const chosen = chooseAside(request, { images: 10, bytes: 2_000 }, none);
    expect(chosen).toEqual(
      numbers(1, 3).map((wireSha256) => ({ wireSha256, occurrences: 1, code: 'request_too_large' })),
    );
    expect(chooseAside({ ...request, sizeBytes: 2_000 }, { bytes: 2_000 }, none)).toEqual([]);
  });
});
