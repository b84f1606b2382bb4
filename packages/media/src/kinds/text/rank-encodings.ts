import { decodeOpening, findLabel } from '@attache/domain/text-decoder';
import { judgeWriting } from './judge-writing.ts';

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
  /** The sample in it. */
  text: string;
};

// Below it are guesses of languages that are not there.
const leastConfidence = 0.005;
const mostCandidates = 12;
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
  const whole = sort(rankWhole(chardet, text));
  const [best] = whole;
  if (best !== undefined && best.share >= soundShare && best.score >= soundScore) return whole;
  // One byte that the right encoding does not have rules it out.
  const inParts = rankInParts(chardet, text);
  const least = Math.max(clearScore, clearLead * (best?.score ?? 0));
  return (inParts[0]?.score ?? 0) > least ? inParts : whole;
}

const space = 0x20;
const isControl = (byte: number): boolean => byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b;
const soundShare = 0.95;
const soundScore = 0.25;
const clearScore = 0.1;
const clearLead = 1.25;
const parts = 6;

function rankInParts(chardet: Chardet, sample: Uint8Array): RankedEncoding[] {
  const sums = new Map<string, RankedEncoding>();
  for (const part of splitLines(sample)) {
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
  return sort([...sums.values()]);
}

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
  return [...guesses, ...others].map((guess) => rank(sample, guess)).filter(isFirstOfItsLabel);
}

function isFirstOfItsLabel({ label }: RankedEncoding, index: number, all: readonly RankedEncoding[]): boolean {
  return label === undefined || index === all.findIndex((other) => other.label === label);
}

function sort(ranked: readonly RankedEncoding[]): RankedEncoding[] {
  return ranked.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
}

function rank(sample: Uint8Array, { name, confidence }: { name: string; confidence: number }): RankedEncoding {
  const label = findLabel(name);
  if (label === undefined)
    return { label, name, evidence: confidence, score: confidence * rareWeight, share: 0, text: '' };
  const text = decodeOpening(sample, label);
  const { share, letters } = judgeWriting(text);
  const evidence = confidence * share * (rare.has(label) ? rareWeight : 1);
  return { label, name, evidence, score: evidence + weighPrior(label, share, letters), share, text };
}

// Statistics say little of one or two letters, and nothing of a script that is written in an encoding made for another.
function weighPrior(label: string, share: number, letters: number): number {
  if (label === usual) return (share * usualWeight) / Math.max(1, letters) ** 2;
  return wide.includes(label) && share === 1 ? wideWeight : 0;
}

const usual = 'windows-1252';
const usualWeight = 0.15;
const wide = ['gb18030', 'shift_jis', 'euc-jp', 'big5', 'euc-kr'];
const wideWeight = 0.005;
