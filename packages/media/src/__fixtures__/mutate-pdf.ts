import type { Random } from '../passing/__fixtures__/random.ts';

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const at = (bytes: Buffer, random: Random): number => random.below(bytes.length);
const splice = (bytes: Buffer, from: number, to: number, put: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(to)]);

const numbers = ['0', '-1', '1', '3', '65535', '2147483647', '4294967296', '1e9', '.0001', '99999999999'];
const names = [
  ...['FlateDecode', 'DCTDecode', 'JBIG2Decode', 'JPXDecode', 'LZWDecode', 'Nothing', 'Identity-H', 'Helvetica'],
  ...['Image', 'Form', 'Font', 'Page', 'Type0', 'Type3', 'DeviceCMYK', 'Pattern', 'Contents', 'Resources', 'Parent'],
];

/** Puts something of the same sort in the place of a number or a name. */
function replaceWord(bytes: Buffer, random: Random, words: RegExp, put: readonly string[]): Buffer {
  const found = [...bytes.toString('latin1').matchAll(words)];
  const match = found[random.below(Math.max(1, found.length))];
  if (match === undefined) return bytes;
  const word = put[random.below(put.length)] ?? '';
  return splice(bytes, match.index, match.index + match[0].length, Buffer.from(word));
}

const mutations: readonly Mutation[] = [
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    const place = at(bytes, random);
    changed[place] = (changed[place] ?? 0) ^ (1 << random.below(8));
    return changed;
  },
  (bytes, random) => {
    const from = at(bytes, random);
    return splice(bytes, from, Math.min(bytes.length, from + 1 + random.below(40)), Buffer.alloc(0));
  },
  (bytes, random) => {
    const from = at(bytes, random);
    const to = Math.min(bytes.length, from + 1 + random.below(200));
    return splice(bytes, to, to, bytes.subarray(from, to));
  },
  (bytes, random) => {
    const from = at(bytes, random);
    return Buffer.from(bytes).fill(0, from, Math.min(bytes.length, from + 1 + random.below(60)));
  },
  (bytes, random) => replaceWord(bytes, random, /(?<=[ [])-?\d+(?=[ \]/>\n])/g, numbers),
  (bytes, random) => replaceWord(bytes, random, /(?<=\/)[A-Za-z][\w-]+/g, names),
];

/** A PDF that is wrong in one to three places. */
export function mutatePdf(bytes: Buffer, random: Random): Buffer {
  let changed = bytes;
  for (let left = 1 + random.below(3); left > 0; left -= 1)
    changed = mutations[random.below(mutations.length)]?.(changed, random) ?? changed;
  return changed;
}
