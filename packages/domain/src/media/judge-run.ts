import { MAX_BASE64_CHARACTERS } from './encoding/encoding.ts';
import { isFileType, LOOK_AHEAD, typeDeclaredBehind } from './file/declared-type.ts';
import type { Run } from './open-run.ts';

/** `take` it out, `wait` for more of it, `text`: it is none of this kind, or `pass` over it to its end, which is text too. */
export type Verdict = 'take' | 'wait' | 'text' | 'pass';

const MAX_HELD_CHARACTERS = 256 * 1024;
/** Declared files may be small, but `data:image/png;base64,AAAA` is an example. */
const MIN_DECLARED_BYTES = 16;
/** The smallest of a known type; what is shorter stays to the letter. Heads of files are printed in hex. */
const MIN_BYTES = { base64: 192, 'data-url': 1, hex: 1000, numbers: 64 };
/** Letters of each kind in base64 of anything but zeros; hex, DNA and digits have none of some. */
const MIN_SHARE = 0.005;

/** Judges an undecided run, read as far as the text goes. */
export function judgeRun(run: Run, text: string, isWhole: boolean): Verdict {
  const { encoding, sink } = run;
  if (encoding.isEnded) sink.probe.finish();
  const verdict = run.isAnyBytes ? judgeBytes(run, text, isWhole) : judgeMedia(run);
  return verdict === 'wait' && run.at - run.start > MAX_HELD_CHARACTERS ? 'text' : verdict;
}

function judgeMedia({ form, declared, encoding, sink: { probe } }: Run): Verdict {
  const { sniffed, sizeBytes } = probe;
  if (sniffed.status === 'more') return 'wait';
  const isKnown = sniffed.status === 'known';
  if (declared !== undefined) {
    if (sizeBytes >= MIN_DECLARED_BYTES || (isKnown && encoding.isEnded)) return 'take';
    return encoding.isEnded ? 'text' : 'wait';
  }
  if (!isKnown) return 'text';
  if (sizeBytes >= MIN_BYTES[form]) return 'take';
  return encoding.isEnded ? 'text' : 'wait';
}

function judgeBytes(run: Run, text: string, isWhole: boolean): Verdict {
  if (run.encoding.characterCount > MAX_BASE64_CHARACTERS) {
    return isBase64(text.slice(run.start, run.at)) ? 'take' : 'pass';
  }
  if (!run.encoding.isEnded) return 'wait';
  if (!run.isFileValue) return 'text';
  if (!isWhole && text.length - run.at < LOOK_AHEAD) return 'wait';
  const declared = typeDeclaredBehind(text, run.at);
  if (!isFileType(declared) || run.sink.probe.sizeBytes < MIN_DECLARED_BYTES) return 'text';
  run.declared = declared;
  return 'take';
}

function isBase64(text: string): boolean {
  const least = text.length * MIN_SHARE;
  return [/[A-Z]/g, /[a-z]/g, /\d/g].every((kind) => (text.match(kind)?.length ?? 0) > least);
}
