import { createEventSkip } from './event-skip.ts';

const LF = 0x0a;
const CR = 0x0d;
const FIELD = Buffer.from('data:');
const lineBreak = Buffer.from('\n');

export type EventLines = { read(chunk: Buffer): void };

type EventTaker = {
  onData(bytes: Buffer): void;
  /** Called after each event of which anything was taken. */
  onEnd(): void;
  /** An event without any of these is passed over where it comes in one piece. */
  readonly marks: readonly Buffer[];
};

/** Takes the data out of a stream of server-sent events, line by line, wherever it is cut; nothing of a line is kept. */
export function createEventLines({ onData, onEnd, marks }: EventTaker): EventLines {
  let kind: 'unknown' | 'data' | 'other' = 'unknown';
  /** Bytes of the field's name that have come. */
  let named = 0;
  let hasCr = false;
  /** Whether nothing of the next event has come yet. */
  let isBetween = true;

  function takePart(part: Buffer): void {
    let at = 0;
    while (kind === 'unknown' && at < part.length) {
      if (part[at] === FIELD[named]) named += 1;
      else kind = 'other';
      if (named === FIELD.length) kind = 'data';
      at += 1;
    }
    if (kind === 'data' && at < part.length) onData(part.subarray(at));
  }

  function endLine(): void {
    isBetween = kind === 'unknown' && named === 0;
    if (kind === 'data') onData(lineBreak);
    else if (isBetween) onEnd();
    kind = 'unknown';
    named = 0;
  }

  return {
    read(chunk) {
      let at = hasCr && chunk[0] === LF ? 1 : 0;
      if (chunk.length > 0) hasCr = false;
      const findSkip = createEventSkip(chunk, marks);
      let [lf, cr] = [-1, -1];
      while (at < chunk.length) {
        if (isBetween) at = findSkip(at);
        if (at === chunk.length) return;
        if (lf < at) lf = orEnd(chunk, chunk.indexOf(LF, at));
        if (cr < at) cr = orEnd(chunk, chunk.indexOf(CR, at));
        const end = Math.min(lf, cr);
        isBetween = false;
        takePart(chunk.subarray(at, end));
        if (end === chunk.length) return;
        endLine();
        at = end + (chunk[end] === CR && chunk[end + 1] === LF ? 2 : 1);
        hasCr = end === chunk.length - 1 && chunk[end] === CR;
      }
    },
  };
}

const orEnd = (chunk: Buffer, found: number): number => (found === -1 ? chunk.length : found);
