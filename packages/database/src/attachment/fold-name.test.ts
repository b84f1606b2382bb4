import { expect, it } from 'vitest';
import { foldName } from './fold-name.ts';

it.each([
  ['Cat_1.PNG', 'cat_1.png'],
  ['ÄRGER.txt', 'ärger.txt'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['οδος', 'οδοσ'],
  ['STRASSE', 'strasse'],
  ['straße', 'strasse'],
  ['%_\\', '%_\\'],
  ['😀', '😀'],
])('%s is compared as %s', (name, folded) => {
  expect(foldName(name)).toBe(folded);
});
