import { describe, expect, it } from 'vitest';
import { ar } from './ar.ts';
import { en } from './en.ts';
import type { Strings } from './strings.ts';
import { createWords } from './words.ts';
import { zh } from './zh.ts';

const plain = (text: string) => text.replaceAll(/[\u2068\u2069\u200e\u200f]/g, '');

const leavesOf = (value: unknown, path = ''): [string, string][] =>
  typeof value === 'string'
    ? [[path, value]]
    : Object.entries(value as object).flatMap(([key, each]) => leavesOf(each, `${path}.${key}`));

const placesOf = (text: string) => [...new Set([...text.matchAll(/\{\w+\}/g)].map(([place]) => place))].sort();

describe('a catalogue', () => {
  const english = new Map(leavesOf(en));

  it.each<[string, Strings]>([
    ['zh', zh],
    ['ar', ar],
  ])('in %s has the places for values of the English one', (_, strings) => {
    // A plural form may say its count in words; a single file may be named.
    const isOne = (path: string) => /\.(announced|notAccepted)\b/.test(path);
    const other = leavesOf(strings).filter(([path]) => english.has(path) && !isOne(path));
    expect(other.length).toBeGreaterThan(60);
    expect(other.filter(([path, text]) => placesOf(text).join() !== placesOf(english.get(path) ?? '').join())).toEqual(
      [],
    );
  });

  it.each<[string, Strings]>([
    ['en', en],
    ['zh', zh],
    ['ar', ar],
  ])('in %s has a form for each plural category', (_, strings) => {
    const categories = new Intl.PluralRules(strings.locale).resolvedOptions().pluralCategories;
    const texts = [strings.notAccepted, ...Object.values(strings.announced)];
    // Nothing happens to no file: no text says zero.
    const needed = categories.filter((category) => category !== 'zero');
    expect(texts.map((text) => needed.filter((category) => text[category] === undefined))).toEqual(texts.map(() => []));
  });

  it('can be given in part', () => {
    expect(createWords({ send: 'Post' }).strings).toEqual({ ...en, send: 'Post' });
  });
});

describe('words', () => {
  const english = createWords();
  const arabic = createWords(ar);

  it('put values into their places, isolated from the direction around, and leave a place without a value', () => {
    expect(english.say('{name} of {other}', { name: 'a.png' })).toBe('\u2068a.png\u2069 of {other}');
  });

  it('do not read a name as a text with places', () => {
    expect(plain(english.say('{agent} gets {name}', { agent: '{name}', name: '$& b' }))).toBe('{name} gets $& b');
  });

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [1_250_000, '1.3 MB'],
    [5_000_000_000_000_000, '5,000 TB'],
  ])('write %d bytes as %s', (sizeBytes, text) => {
    expect(english.bytes(sizeBytes)).toBe(text);
  });

  it('choose the plural form of the language', () => {
    expect(plain(english.count(en.announced.added, 1, { names: 'a.png' }))).toBe('a.png added.');
    expect(plain(english.count(en.announced.added, 1200, { names: 'a.png' }))).toBe('1,200 files added.');
    expect([1, 2, 3, 11, 100].map((count) => plain(arabic.count(ar.announced.ready, count, { names: 'a' })))).toEqual([
      'a جاهز.',
      'ملفان جاهزان.',
      expect.stringMatching(/ ملفات جاهزة\.$/),
      expect.stringMatching(/ ملفًا جاهزًا\.$/),
      expect.stringMatching(/ ملف جاهز\.$/),
    ]);
  });

  it('name the day of a time only where it is another one', () => {
    const now = new Date(2026, 10, 30, 12, 0);
    expect(english.time(new Date(2026, 10, 30, 9, 5).toISOString(), now)).toMatch(/^9:05\sAM$/);
    expect(english.time(new Date(2026, 10, 29, 9, 5).toISOString(), now)).toContain('Nov 29');
  });

  it('join names as the language does', () => {
    expect(plain(english.list(['a', 'b', 'c']))).toBe('a, b, and c');
    expect(plain(createWords(zh).list(['a', 'b']))).toBe('a和b');
  });
});
