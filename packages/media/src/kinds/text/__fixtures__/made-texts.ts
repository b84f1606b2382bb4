import { encodeAs } from './encode-as.ts';
import { writings } from './writings.ts';

type Language = keyof typeof writings;

const western: Language[] = ['de', 'fr', 'es', 'pt', 'it', 'sv', 'da', 'fi', 'is'];
const central: Language[] = ['pl', 'cs', 'hu', 'hr'];

/** Encodings, and languages that are written in each. */
const uses: Record<string, Language[]> = {
  'windows-1252': western,
  'iso-8859-15': ['fr', 'fi'],
  cp437: ['de', 'fr', 'es', 'sv'],
  cp850: western,
  cp858: ['de'],
  cp860: ['pt'],
  cp861: ['is'],
  cp865: ['da'],
  macintosh: ['de', 'fr', 'es', 'pt'],
  'windows-1250': central,
  'iso-8859-2': central,
  cp852: central,
  'x-mac-ce': ['pl', 'cs'],
  'windows-1257': ['lt', 'lv', 'et'],
  'iso-8859-13': ['lt', 'lv'],
  cp775: ['lt', 'lv'],
  'windows-1254': ['tr'],
  cp857: ['tr'],
  'windows-1251': ['ru', 'uk', 'bg', 'sr'],
  'koi8-r': ['ru'],
  'koi8-u': ['uk'],
  ibm866: ['ru', 'bg'],
  cp855: ['ru', 'bg', 'sr'],
  cp1125: ['uk'],
  'x-mac-cyrillic': ['ru', 'uk', 'bg'],
  'iso-8859-5': ['ru', 'bg', 'sr'],
  'windows-1253': ['el'],
  'iso-8859-7': ['el'],
  cp737: ['el'],
  cp869: ['el'],
  'windows-1255': ['he'],
  'iso-8859-8': ['he'],
  cp862: ['he'],
  'windows-1256': ['ar'],
  'iso-8859-6': ['ar'],
  cp720: ['ar'],
  'windows-874': ['th'],
  shift_jis: ['ja'],
  'euc-jp': ['ja'],
  gb18030: ['zh-Hans'],
  big5: ['zh-Hant'],
  'euc-kr': ['ko'],
};

/** Shapes of files: one line, a letter, a long log with few letters, a table. */
const forms: Record<string, (sentences: readonly string[]) => string> = {
  line: ([first]) => `${first}\n`,
  question: (sentences) => `${sentences.at(-1)}\n`,
  two: (sentences) => `${sentences.slice(1, 3).join('\n')}\n`,
  letter: (sentences) => `${sentences.join('\n')}\n`,
  log: (sentences) =>
    Array.from({ length: 60 }, (_, index) => {
      const words = index % 9 === 4 ? sentences[index % 5] : '';
      return `2026-11-12 10:04:${String(index).padStart(2, '0')} INFO request ${index} ok ${words}\r\n`;
    }).join(''),
  capitals: (sentences) => `${sentences.join('\n').toUpperCase()}\n`,
  title: ([, second = '']) => `${second.toUpperCase()}\n`,
  table: (sentences) =>
    `id;name;count\n${sentences
      .flatMap((sentence) => sentence.split(' '))
      .map((word, index) => `${index + 1};${word.replaceAll(/[.,?]/g, '')};${(index * 37) % 100}\n`)
      .join('')}`,
  names: (sentences) => sentences.map((sentence) => `${sentence.split(' ').slice(0, 2).join(' ')}\n`).join(''),
};

export type MadeText = { encoding: string; language: string; form: string; text: string; bytes: Buffer };

/** A text of each form in each language and encoding. Signs that an encoding lacks are left out. */
export function makeTexts(): MadeText[] {
  return Object.entries(uses).flatMap(([encoding, languages]) =>
    languages.flatMap((language) =>
      Object.entries(forms).map(([form, make]) => ({
        encoding,
        language,
        form,
        ...encodeAs(make(writings[language]), encoding),
      })),
    ),
  );
}
