import { type MediaWalk, type Step, type WalkEnd, walkMedia } from './walk-media.ts';

/**
 * The state of a file's structure at the place that its bytes have reached. `open`: more of the file follows. `done`: it ends here. `unknown`: it may end here.
 */
export type MediaEnd = WalkEnd;

/** Follows a file's structure as its bytes come, to know where it ends. Keeps a few bytes of it, whatever its length. */
export type EndFinder = {
  push(bytes: Uint8Array): void;
  readonly end: MediaEnd;
  /** The state after these few further bytes. */
  endBehind(bytes: Uint8Array): MediaEnd;
  /** At a place where the file may end: whether it continues with these bytes; undefined if that cannot be said. */
  goesOnWith(head: Uint8Array): boolean | undefined;
  /** At least so many bytes are still to come; 0 where that is not known. */
  readonly missingBytes: number;
};

const TAIL_BYTES = 32;
/** A structure that asks for more than this at once is none. */
const MAX_STEP_BYTES = 2 ** 40;
const empty = new Uint8Array(0);

/** `head` is what the type was found by; it is pushed like the rest. */
export function createEndFinder(mimeType: string, head: Uint8Array): EndFinder {
  if (mimeType === 'application/pdf') return createPdfFinder();
  const walk = walkMedia(mimeType, head);
  return walk === undefined
    ? {
        push: () => undefined,
        end: 'unknown',
        endBehind: () => 'unknown',
        goesOnWith: () => undefined,
        missingBytes: 0,
      }
    : createWalkFinder(walk);
}

/** A PDF ends with a line that says so, and may continue behind it. */
function createPdfFinder(): EndFinder {
  let tail = '';
  const tailBehind = (bytes: Uint8Array): string =>
    (tail + String.fromCharCode(...bytes.subarray(-TAIL_BYTES))).slice(-TAIL_BYTES);
  const endOf = (text: string): MediaEnd => {
    if (/%%EOF(?:\r?\n)+$/.test(text)) return 'done';
    return /%%EOF[\0\t\n\r ]*$/.test(text) ? 'unknown' : 'open';
  };
  return {
    push(bytes) {
      tail = tailBehind(bytes);
    },
    get end() {
      return endOf(tail);
    },
    endBehind: (bytes) => endOf(tailBehind(bytes)),
    // A line break that ends the last line belongs to the file; anything else that follows is another file, or more of this one.
    goesOnWith: (head) => (head[0] === 0x0a || head[0] === 0x0d ? true : undefined),
    get missingBytes() {
      return 0;
    },
  };
}

/** The walk through a file, a step at a time. */
class Walker {
  step: Step | undefined;
  result: 'done' | 'lost' | undefined;
  passed = 0;
  private collected = empty;
  private readonly walk: MediaWalk;

  constructor(walk: MediaWalk) {
    this.walk = walk;
    this.advance(empty);
  }

  /** Takes what the step wants; how many bytes that were. */
  take(bytes: Uint8Array, wanted: Step): number {
    if (wanted.want === 'until') {
      const found = bytes.indexOf(wanted.byte);
      this.passed += 1;
      if (found >= 0) this.advance(empty);
      return found < 0 ? bytes.length : found + 1;
    }
    const length = Math.min(bytes.length, wanted.bytes - this.passed);
    this.passed += length;
    if (wanted.want === 'read') this.collected = concat(this.collected, bytes.subarray(0, length));
    if (this.passed === wanted.bytes) this.advance(this.collected);
    return length;
  }

  private advance(bytes: Uint8Array): void {
    let given = bytes;
    // A step of no bytes is over at once.
    for (;;) {
      const next = this.walk.next(given);
      this.collected = empty;
      this.passed = 0;
      if (next.done === true) {
        this.step = undefined;
        this.result = next.value;
        return;
      }
      this.step = next.value;
      if (this.step.want === 'until' || this.step.bytes > 0) break;
      given = empty;
    }
    if (this.step.want !== 'until' && !(this.step.bytes <= MAX_STEP_BYTES)) this.result = 'lost';
  }
}

function createWalkFinder(walk: MediaWalk): EndFinder {
  const walker = new Walker(walk);
  const end = (): MediaEnd => {
    const { result, step, passed } = walker;
    if (result !== undefined) return result === 'done' ? 'done' : 'unknown';
    return step?.mayEnd === true && passed === 0 ? 'unknown' : 'open';
  };
  return {
    push(bytes) {
      if (bytes.length > 0 && walker.result === 'done') walker.result = 'lost';
      let at = 0;
      while (at < bytes.length && walker.result === undefined && walker.step !== undefined)
        at += walker.take(bytes.subarray(at), walker.step);
      if (at < bytes.length) walker.result = 'lost';
    },
    get end() {
      return end();
    },
    endBehind(bytes) {
      const { result, step, passed } = walker;
      if (bytes.length === 0 || result !== undefined || step === undefined) return end();
      return step.endOf?.(bytes, step.want === 'until' ? 0 : step.bytes - passed) ?? 'open';
    },
    goesOnWith: (head) =>
      walker.result === undefined && walker.passed === 0 ? walker.step?.goesOnWith?.(head) : undefined,
    get missingBytes() {
      const { result, step, passed } = walker;
      return result === undefined && step !== undefined && step.want !== 'until' ? step.bytes - passed : 0;
    },
  };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
