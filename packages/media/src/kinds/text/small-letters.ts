import { decodeOpening } from '@attache/domain/text-decoder';

/** Encodings of one byte a character with capitals: by the name of the detecting library, the label. */
export const capitalEncodings: [name: string, label: string][] = [
  ...[1250, 1251, 1252, 1253, 1254, 1257].map((page): [string, string] => [`cp${page}`, `windows-${page}`]),
  ...[2, 5, 7, 13].map((part): [string, string] => [`iso8859-${part}`, `iso-8859-${part}`]),
  ...[437, 737, 775, 850, 852, 855, 857, 860, 861, 865, 869, 1125].map((page): [string, string] => [
    `cp${page}`,
    `cp${page}`,
  ]),
  ['cp866', 'ibm866'],
  ['koi8-r', 'koi8-r'],
  ['koi8-u', 'koi8-u'],
  ['mac-cyrillic', 'x-mac-cyrillic'],
  ['mac-roman', 'macintosh'],
  ['mac-latin2', 'x-mac-ce'],
];
const smallLetters = new Map<string, Uint8Array>();

/** For each byte that of its small letter; for others the byte itself. */
export function smallLettersOf(label: string): Uint8Array {
  const known = smallLetters.get(label);
  if (known) return known;
  const chars = Array.from({ length: 256 }, (_, byte) => decodeOpening(Uint8Array.of(byte), label));
  const bytes = new Map(chars.map((char, byte) => [char, byte]));
  const table = Uint8Array.from(chars, (char, byte) => bytes.get(char.toLowerCase()) ?? byte);
  smallLetters.set(label, table);
  return table;
}
