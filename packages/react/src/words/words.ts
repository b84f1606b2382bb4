import { en } from './en.ts';
import type { PluralText, Strings } from './strings.ts';

type Values = Readonly<Record<string, string | number>>;

/** A catalogue with the formats of its language. */
export type Words = {
  strings: Strings;
  /** Puts values into the places of a text. Names are isolated, so that one in another script does not reorder the sentence. */
  say(text: string, values?: Values): string;
  /** The form of a text for `count`; `{count}` is its place. */
  count(text: PluralText, count: number, values?: Values): string;
  /** A size, such as 1.2 MB; 1,200,000 bytes if it `isExact`. */
  bytes(sizeBytes: number, isExact?: boolean): string;
  list(names: readonly string[]): string;
  /** The time of an ISO 8601 instant, with the day where it is another one than that of `now`. */
  time(at: string, now: Date): string;
};

/** The formats of one language. `strings`: a catalogue, or a part of one on top of English. */
export function createWords(strings: Partial<Strings> = {}): Words {
  const full: Strings = { ...en, ...strings };
  const { locale } = full;
  const plurals = new Intl.PluralRules(locale);
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' });
  const say = (text: string, values: Values = {}) =>
    text.replace(/\{(\w+)\}/g, (place, name: string) => {
      const value = values[name];
      return value === undefined ? place : isolate(typeof value === 'number' ? value.toLocaleString(locale) : value);
    });
  return {
    strings: full,
    say,
    count: (text, count, values) => say(text[plurals.select(count)] ?? text.other, { count, ...values }),
    bytes: (sizeBytes, isExact) => formatBytes(locale, sizeBytes, isExact),
    list: (names) => lists.format(names.map(isolate)),
    time(at, now) {
      const date = new Date(at);
      const dateStyle = date.toDateString() === now.toDateString() ? undefined : 'medium';
      return date.toLocaleString(locale, { dateStyle, timeStyle: 'short' });
    },
  };
}

const isolate = (value: string) => `\u2068${value}\u2069`;

const PREFIXES = ['', 'kilo', 'mega', 'giga', 'tera'];

function formatBytes(locale: string, sizeBytes: number, isExact?: boolean): string {
  const step = isExact ? 0 : Math.min(4, Math.floor(Math.log10(Math.max(1, sizeBytes)) / 3));
  return (sizeBytes / 1000 ** step).toLocaleString(locale, {
    style: 'unit',
    unit: `${PREFIXES[step]}byte`,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step < 2 ? 0 : 1,
  });
}
