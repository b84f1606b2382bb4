import { describe, expect, it } from 'vitest';
import { createPieceDecoder, findLabel, isDecodingError } from './text-decoder.ts';

describe('the label of an encoding', () => {
  it.each([
    ['UTF-8', 'utf-8'],
    [' Latin1 ', 'windows-1252'],
    ['cp1251', 'windows-1251'],
    ['CP866', 'ibm866'],
    ['IBM850', 'cp850'],
    ['850', 'cp850'],
    ['dos-852', 'cp852'],
    ['ibm00858', undefined],
    ['CP932', 'shift_jis'],
    ['MacRoman', 'macintosh'],
    ['mac_cyrillic', 'x-mac-cyrillic'],
    ['MacLatin2', 'x-mac-ce'],
    ['utf-32le', 'utf-32le'],
    ['johab', undefined],
    ['hz-gb-2312', undefined],
    ['base64', undefined],
    ['hex', undefined],
    ['utf7', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
    ['', undefined],
  ])('of %j is %j', (name, label) => {
    expect(findLabel(name)).toBe(label);
  });
});

// "żółć" in CP852, "Жук" in CP855, "Üç" in CP857, "ľ" in Mac OS Central European.
it.each([
  ['cp852', [0xbe, 0xa2, 0x88, 0x86], 'żółć'],
  ['cp855', [0xea, 0xe7, 0xc6], 'Жук'],
  ['cp857', [0x9a, 0x87], 'Üç'],
  ['x-mac-ce', [0xbc], 'ľ'],
])('decodes %s', (label, bytes, text) => {
  expect(createPieceDecoder(label).decode(Uint8Array.from(bytes))).toBe(text);
});

it('throws for a byte that a code page lacks, or replaces it', () => {
  const bytes = Uint8Array.from([0x41, 0xd5]);
  let thrown: unknown;
  try {
    createPieceDecoder('cp857').decode(bytes);
  } catch (error) {
    thrown = error;
  }
  expect(isDecodingError(thrown)).toBe(true);
  expect(createPieceDecoder('cp857', 'replace').decode(bytes)).toBe('A\ufffd');
});
