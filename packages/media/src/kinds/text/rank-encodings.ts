import { decodeOpening, findLabel } from '@attache/domain/text-decoder';
import { judgeWriting, type Writing } from './judge-writing.ts';
import { capitalEncodings, smallLettersOf } from './small-letters.ts';

/** An encoding that bytes may have. */
export type RankedEncoding = {
  /** Undefined for one that nothing here decodes. */
  label: string | undefined;
  /** As people call it. */
  name: string;
  /** The weight of its letters, from 0 to 1. */
  evidence: number;
  /** The same, and how common it is. */
  score: number;
  /** How much of it looks like writing, from 0 to 1. */
  share: number;
  /** The beginning of the sample in it. */
  text: string;
};

// Below it are guesses of languages that are not there.
const leastConfidence = 0.005;
const mostCandidates = 12;
// A text that is taken for one that nothing decodes is refused.
const leastUndecodable = 0.2;
// An encoding of Urdu in DOS: it takes French for text, and nothing here decodes it.
const unlikely = ['cp1006'];
// Nearly the same as the common ones, and hardly used.
const rare = new Set([
  'cp864',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-10',
  'iso-8859-14',
  'iso-8859-16',
  'cp857',
  'x-mac-greek',
  'x-mac-icelandic',
  'x-mac-turkish',
]);
const rareWeight = 0.7;

/**
 * Encodings that a sample may have, the likeliest first: by the letters that follow one another in each language, and by whether its words hold one script
 * each. A few bytes of it may be no text.
 */
export async function rankEncodings(sample: Uint8Array): Promise<RankedEncoding[]> {
  const { chardet } = await import('jschardet');
  const text = sample.map((byte) => (isControl(byte) ? space : byte));
  let ranked = sort(rankWhole(chardet, text));
  for (const rankOtherwise of [rankWithoutStrays, rankInParts, rankInSmallLetters]) {
    if (isSound(ranked[0]) && (rankOtherwise !== rankWithoutStrays || !hasFewStrays(text))) continue;
    const others = sort(rankOtherwise(chardet, text));
    if ((others[0]?.score ?? 0) > Math.max(clearScore, clearLead * (ranked[0]?.score ?? 0))) ranked = others;
  }
  return ranked;
}

const space = 0x20;
// Tabs, line ends, and the shifts of encodings of 7 bits stay.
const isControl = (byte: number): boolean => byte < 0x20 && !(byte >= 0x08 && byte <= 0x0f) && byte !== 0x1b;
const soundShare = 0.95;
const soundScore = 0.25;
const certainScore = 0.6;
const clearScore = 0.02;
const clearLead = 1.25;
const parts = 6;
const partsBytes = 16 * 1024;

// Bytes that no character of several bytes begins with: one of them rules out the right encoding. In others they are letters.
const isStray = (byte: number): boolean => byte >= 0xfd;

function hasFewStrays(text: Uint8Array): boolean {
  let strays = 0;
  let others = 0;
  for (const byte of text) {
    if (isStray(byte)) strays += 1;
    else if (byte >= 0x80) others += 1;
  }
  return strays > 0 && strays * leastPerStray < others;
}

// In Russian, such letters are one in thirty.
const leastPerStray = 100;

const isSound = (best: RankedEncoding | undefined): boolean =>
  best !== undefined && (best.score >= certainScore || (best.share >= soundShare && best.score >= soundScore));

function rankWithoutStrays(chardet: Chardet, text: Uint8Array): RankedEncoding[] {
  if (!hasFewStrays(text)) return [];
  return rankWhole(
    chardet,
    text.filter((byte) => !isStray(byte)),
  ).filter(({ label }) => label !== undefined && wide.includes(label));
}

// One broken character rules out its encoding for all of the text.
function rankInParts(chardet: Chardet, sample: Uint8Array): RankedEncoding[] {
  const sums = new Map<string, RankedEncoding>();
  for (const part of splitLines(sample.subarray(0, partsBytes))) {
    for (const found of rankWhole(chardet, part)) {
      const key = found.label ?? found.name;
      const sum = sums.get(key) ?? { ...found, evidence: 0, score: 0, text: '' };
      sums.set(key, {
        ...sum,
        evidence: sum.evidence + found.evidence / parts,
        score: sum.score + found.score / parts,
        text: sum.text + found.text,
      });
    }
  }
  return [...sums.values()];
}

/**
 * Statistics know few words in capitals. In an encoding of one byte a character, each capital has its small letter, and only in the right encoding do these
 * make words.
 */
function rankInSmallLetters(chardet: Chardet, text: Uint8Array): RankedEncoding[] {
  const sample = text.subarray(0, smallLetterBytes);
  return capitalEncodings.flatMap(([name, label]) => {
    const smallLetters = smallLettersOf(label);
    const small = sample.map((byte) => smallLetters[byte] ?? byte);
    const [found] = chardet.detectAll(small, {
      ignoreThreshold: true,
      includeEncodings: [name],
      noMatchEncoding: name,
    });
    const ranked = rank(sample, { name: label, confidence: found?.encoding === null ? 0 : (found?.confidence ?? 0) });
    return ranked.share === 0 ? [] : [{ ...ranked, evidence: ranked.evidence * otherTextWeight }];
  });
}

const smallLetterBytes = 4096;
// Evidence for small letters says less of the capitals that are there.
const otherTextWeight = 0.5;

/** Every sixth line each. */
function splitLines(sample: Uint8Array): Buffer[] {
  const taken: Uint8Array[][] = Array.from({ length: parts }, () => []);
  for (let start = 0, index = 0; start < sample.length; index += 1) {
    const end = sample.indexOf(0x0a, start) + 1 || sample.length;
    taken[index % parts]?.push(sample.subarray(start, end));
    start = end;
  }
  return taken.map((lines) => Buffer.concat(lines)).filter(({ length }) => length > 0);
}

type Chardet = typeof import('jschardet')['chardet'];

function rankWhole(chardet: Chardet, sample: Uint8Array): RankedEncoding[] {
  const guesses = chardet
    .detectAll(sample, {
      ignoreThreshold: true,
      // Not those of mainframes, in which any bytes are text.
      encodingEra: chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME,
      excludeEncodings: unlikely,
    })
    .flatMap(({ encoding, confidence }) => (encoding === null ? [] : [{ name: encoding, confidence }]))
    .filter(({ confidence }) => confidence >= leastConfidence)
    .slice(0, mostCandidates);
  const known = new Set(guesses.map(({ name }) => findLabel(name)));
  const others = [usual, ...wide].filter((label) => !known.has(label)).map((name) => ({ name, confidence: 0 }));
  return [...guesses, ...others]
    .map((guess) => rank(sample, guess))
    .filter(isFirstOfItsLabel)
    .filter(({ label, evidence }) => label !== undefined || evidence >= leastUndecodable);
}

function isFirstOfItsLabel({ label }: RankedEncoding, index: number, all: readonly RankedEncoding[]): boolean {
  return label === undefined || index === all.findIndex((other) => other.label === label);
}

function sort(ranked: readonly RankedEncoding[]): RankedEncoding[] {
  return ranked.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
}

// More would say the same, and cost more than the statistics do.
const judgedBytes = 8 * 1024;

function rank(sample: Uint8Array, { name, confidence }: { name: string; confidence: number }): RankedEncoding {
  const label = findLabel(name);
  if (label === undefined)
    return { label, name, evidence: confidence, score: confidence * rareWeight, share: 0, text: '' };
  const text = decodeOpening(sample.subarray(0, judgedBytes), label);
  const writing = judgeWriting(text);
  const { share } = writing;
  const evidence = confidence * share * (rare.has(label) ? rareWeight : 1);
  return { label, name, evidence, score: evidence + weighPrior(label, text, writing), share, text };
}

// Statistics say little of one or two letters, and nothing of a script that is written in an encoding made for another.
function weighPrior(label: string, text: string, { share, letters }: Writing): number {
  if (label === usual) return (share * usualWeight) / Math.max(1, letters) ** 2;
  if (!wide.includes(label) || share < 1) return 0;
  return kana.test(text) ? kanaWeight : wideWeight;
}

const usual = 'windows-1252';
const usualWeight = 0.15;
const wide = ['gb18030', 'shift_jis', 'euc-jp', 'big5', 'euc-kr'];
const wideWeight = 0.005;
// Other encodings make ideographs of kana, and kana of nothing.
const kana = /[\u3041-\u3096\u30a1-\u30fa]{2}/;
const kanaWeight = 0.02;
