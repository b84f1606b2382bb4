import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCharacters } from './read-characters.ts';

/** A font for characters of which a document brings no glyphs. */
export type FallbackFont = {
  name: string;
  /** The reader's number of the character set that it serves, where it serves one by itself. */
  charset: number | undefined;
  /** Whether it draws the character: one of its script, or a sign of no script. */
  covers(character: string): boolean;
  /** Whether it draws English as well. */
  hasAscii: boolean;
  /** A TrueType or OpenType file. It is read when a page first needs it, and kept. */
  read(): Buffer;
};

// As the reader numbers them.
const CHARSETS = { japanese: 128, korean: 129, simplifiedChinese: 134, traditionalChinese: 136 };

const european: FallbackFont = describeFont({
  name: 'Noto Sans',
  script: /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]/u,
  path: fileURLToPath(new URL('../fonts/NotoSans-Regular.ttf', import.meta.resolve('@embedpdf/fonts-latin'))),
  hasAscii: true,
});

/** One weight of each script; those of East Asia, which are large, where their package is installed. */
export const fallbackFonts: readonly FallbackFont[] = [
  european,
  describeFont({
    name: 'Noto Naskh Arabic',
    script: /\p{sc=Arab}/u,
    path: fileURLToPath(new URL('../fonts/NotoNaskhArabic-Regular.ttf', import.meta.resolve('@embedpdf/fonts-arabic'))),
    hasAscii: false,
  }),
  describeFont({
    name: 'Noto Sans Hebrew',
    script: /\p{sc=Hebr}/u,
    path: fileURLToPath(new URL('../fonts/NotoSansHebrew-Regular.ttf', import.meta.resolve('@embedpdf/fonts-hebrew'))),
    hasAscii: false,
  }),
  ...findInstalled('Noto Sans Hans', /\p{sc=Han}/u, '@embedpdf/fonts-sc', CHARSETS.simplifiedChinese),
  ...findInstalled('Noto Sans Hant', /\p{sc=Han}/u, '@embedpdf/fonts-tc', CHARSETS.traditionalChinese),
  ...findInstalled('Noto Sans JP', /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u, '@embedpdf/fonts-jp', CHARSETS.japanese),
  ...findInstalled('Noto Sans KR', /\p{sc=Hang}/u, '@embedpdf/fonts-kr', CHARSETS.korean),
];

/**
 * Chooses the fonts for characters that would not be drawn. The first one replaces every font that is not in the document, so it draws English too; the second
 * one is asked for glyphs that the first lacks.
 */
export function chooseFonts(characters: readonly string[]): FallbackFont[] {
  const best = findBest(characters);
  if (best === undefined) return [];
  const next = findBest(characters.filter((character) => !best.covers(character)));
  if (best.hasAscii) return next ? [best, next] : [best];
  return [next?.hasAscii ? next : european, best];
}

function findBest(characters: readonly string[]): FallbackFont | undefined {
  const counts = fallbackFonts.map((font) => characters.filter(font.covers).length);
  const most = Math.max(...counts);
  return most === 0 ? undefined : fallbackFonts[counts.indexOf(most)];
}

const OF_NO_SCRIPT = /[\p{sc=Zyyy}\p{sc=Zinh}]/u;

type FontFile = { name: string; script: RegExp; path: string; hasAscii: boolean; charset?: number };

function describeFont({ name, script, path, hasAscii, charset }: FontFile): FallbackFont {
  let bytes: Buffer | undefined;
  let characters: ReturnType<typeof readCharacters> | undefined;
  const read = () => {
    bytes ??= readFileSync(path);
    return bytes;
  };
  return {
    ...{ name, charset, hasAscii, read },
    covers(character) {
      if (!script.test(character) && !OF_NO_SCRIPT.test(character)) return false;
      characters ??= readCharacters(read());
      return characters.has(character.codePointAt(0) ?? 0);
    },
  };
}

/** A font whose file has its name without blanks, if an operator has installed its package. */
function findInstalled(name: string, script: RegExp, packageName: string, charset: number): FallbackFont[] {
  const path = findFile(packageName, `${name.replaceAll(' ', '')}-Regular.otf`);
  return path === undefined ? [] : [describeFont({ name, script, path, hasAscii: true, charset })];
}

function findFile(packageName: string, file: string): string | undefined {
  try {
    const path = join(dirname(createRequire(import.meta.filename).resolve(packageName)), '../fonts', file);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
