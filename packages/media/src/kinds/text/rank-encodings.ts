import { decodeOpening, findLabel } from '@attache/domain/text-decoder';
import { judgeWriting } from './judge-writing.ts';

/** An encoding that bytes may have. */
export type RankedEncoding = {
  /** Undefined for one that nothing here decodes. */
  label: string | undefined;
  /** As people call it. */
  name: string;
  /** What its letters say for it, from 0 to 1. */
  evidence: number;
  /** The same, and how common it is. */
  score: number;
  /** The sample in it. */
  text: string;
};

// Below it are guesses of languages that are not there.
const leastConfidence = 0.005;
const mostCandidates = 12;
// Of Urdu in DOS: it takes French for text, and nothing here decodes it.
const unlikely = ['cp1006'];
// Nearly the same as the common ones, and hardly used.
const rare = new Set(['iso-8859-3', 'iso-8859-4', 'iso-8859-10', 'iso-8859-14', 'iso-8859-16', 'cp857']);
const rareWeight = 0.7;

/**
 * Encodings that a sample may have, the likeliest first: by the letters that follow one another in each language, and by whether its words hold one script
 * each.
 */
export async function rankEncodings(sample: Uint8Array): Promise<RankedEncoding[]> {
  const { chardet } = await import('jschardet');
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
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .filter(
      ({ label }, index, all) => label === undefined || index === all.findIndex((other) => other.label === label),
    );
}

function rank(sample: Uint8Array, { name, confidence }: { name: string; confidence: number }): RankedEncoding {
  const label = findLabel(name);
  if (label === undefined) return { label, name, evidence: confidence, score: confidence * rareWeight, text: '' };
  const text = decodeOpening(sample, label);
  const { share, letters } = judgeWriting(text);
  const evidence = confidence * share * (rare.has(label) ? rareWeight : 1);
  return { label, name, evidence, score: evidence + weighPrior(label, share, letters), text };
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
