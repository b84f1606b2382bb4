import iconv from 'iconv-lite';
import type { Faults, PieceDecoder } from './piece-decoder.ts';

const dosPages = '437 720 737 775 850 852 855 856 857 858 860 861 862 863 864 865 869 1125'.split(' ');

/** Encodings of one byte a character that the WHATWG Encoding Standard lacks: by label, the name that the library has for them. */
const libraryNames = new Map([
  ...dosPages.map((page): [string, string] => [`cp${page}`, `cp${page}`]),
  ['koi8-t', 'koi8-t'],
  ['kz-1048', 'rk1048'],
  ['ptcp154', 'pt154'],
  ['hp-roman8', 'hp-roman8'],
  ['x-mac-ce', 'maccenteuro'],
  ['x-mac-greek', 'macgreek'],
  ['x-mac-icelandic', 'maciceland'],
  ['x-mac-turkish', 'macturkish'],
]);

// Among them what others call encodings of the Standard.
const otherNames: Record<string, string> = {
  'iso8859-16': 'iso-8859-16',
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'mac-roman': 'macintosh',
  macroman: 'macintosh',
  'mac-cyrillic': 'x-mac-cyrillic',
  maccyrillic: 'x-mac-cyrillic',
  kz1048: 'kz-1048',
  rk1048: 'kz-1048',
  pt154: 'ptcp154',
  maccenteuro: 'x-mac-ce',
  'mac-latin2': 'x-mac-ce',
  maclatin2: 'x-mac-ce',
  'x-mac-centraleurroman': 'x-mac-ce',
  macgreek: 'x-mac-greek',
  maciceland: 'x-mac-icelandic',
  macturkish: 'x-mac-turkish',
};

/** The label that another name means, in small letters. */
export function findOtherLabel(name: string): string | undefined {
  const numbered = /^(?:cp|ibm|dos|oem)?[-_]?0?(\d{3,4})$/.exec(name);
  const label = numbered ? `cp${numbered[1]}` : name.replaceAll('_', '-');
  return otherNames[label] ?? (isCodePage(label) ? label : undefined);
}

export function isCodePage(label: string): boolean {
  return libraryNames.has(label);
}

/** The label must be that of a code page. */
export function createCodePageDecoder(label: string, faults: Faults): PieceDecoder {
  const decoder = iconv.getDecoder(libraryNames.get(label) ?? label);
  return {
    decode(chunk = new Uint8Array(0)) {
      const text = decoder.write(chunk as Parameters<typeof decoder.write>[0]);
      if (faults === 'throw' && text.includes('\ufffd')) throw new RangeError('A byte that is no character of it.');
      return text;
    },
  };
}
