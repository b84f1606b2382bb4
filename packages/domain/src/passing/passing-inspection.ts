import type { AttachmentFacts, AttachmentKind, Warning } from '@attache/contracts';
import { classifyMediaType } from '../file-type/classify-media-type.ts';
import { describeTypeDifference } from '../file-type/describe-type-difference.ts';
import { claimTextType, type FileClaims } from '../file-type/label-file.ts';
import { listFirstEncodings } from '../file-type/text/first-encodings.ts';
import { nameTextType } from '../file-type/text/name-text-type.ts';
import { createTextCheck, type TextCheck } from '../file-type/text/text-check.ts';
import { decodeOpening } from '../file-type/text/text-decoder.ts';
import { createFileHead } from './file-head.ts';
import { mayBeKnownFormat } from './may-be-known-format.ts';

/** The result of inspecting a file that is ready. */
export type PassingFinding = {
  mimeType: string;
  kind: AttachmentKind;
  facts: AttachmentFacts;
  warnings: Warning[];
};

export type PassingInspection = {
  /** The next bytes of the file. They are not kept. */
  push(bytes: Uint8Array): void;
  /** After the last one. Undefined: only inspection can say what it is. */
  end(): PassingFinding | undefined;
};

/** Text beyond this is left to inspection, whose time is limited. */
const mostTextBytes = 32 * 1024 * 1024;

type Candidate = { mimeType: string; encoding: string; check: TextCheck };
type Begun = {
  candidates: Candidate[];
  hasByteOrderMark: boolean;
  /** Whether it may be text all the same where it is text in none of the candidates. */
  mayBeText: boolean;
};

/**
 * Finds out while a file passes what inspection would find, where it needs no parser for it: text in Unicode, and bytes that are neither
 * text nor the beginning of any format. In bounded memory.
 */
export function createPassingInspection(claims: FileClaims): PassingInspection {
  const head = createFileHead();
  let begun: Begun | 'left' | undefined;
  let sizeBytes = 0;

  function begin(): void {
    const beginning = beginWith(head.take(), claims);
    begun = beginning === undefined || isMaybeText(beginning) ? 'left' : beginning;
  }

  function read(bytes: Uint8Array): void {
    if (begun === 'left' || begun === undefined || bytes.length === 0) return;
    if (begun.candidates.length === 0) return;
    begun.candidates = begun.candidates.filter(({ check }) => check.push(bytes));
    const isLong = begun.candidates.length > 0 && sizeBytes > mostTextBytes;
    if (isLong || isMaybeText(begun)) begun = 'left';
  }

  return {
    push(bytes) {
      sizeBytes += bytes.length;
      if (begun !== undefined) return read(bytes);
      const beyond = head.add(bytes);
      if (!head.isFull()) return;
      begin();
      read(beyond);
    },
    end() {
      if (begun === undefined) begin();
      return begun === 'left' || begun === undefined ? undefined : conclude(begun, claims);
    },
  };
}

/** Undefined: a format may begin so. */
function beginWith(head: Uint8Array, claims: FileClaims): Begun | undefined {
  if (head.length === 0 || mayBeKnownFormat(head)) return undefined;
  const { encodings, hasByteOrderMark, mayBeOlder } = listFirstEncodings(head);
  const textType = claimTextType(claims);
  const candidates = encodings.flatMap((encoding): Candidate[] => {
    const check = createTextCheck(encoding);
    // First of all: what cannot be text has no opening that is worth its time.
    if (!check.push(head)) return [];
    return [{ mimeType: nameTextType(decodeOpening(head, encoding), { textType }), encoding, check }];
  });
  const seemsUnicode = hasByteOrderMark || encodings.length > 1;
  return { candidates, hasByteOrderMark, mayBeText: mayBeOlder || seemsUnicode };
}

// Bytes that are not Unicode may be text in an older encoding, or with a few bytes that are none. Finding out which needs several reads of the file.
const isMaybeText = ({ candidates, mayBeText }: Begun): boolean => mayBeText && candidates.length === 0;

function conclude(begun: Begun, claims: FileClaims): PassingFinding | undefined {
  const { hasByteOrderMark } = begun;
  begun.candidates = begun.candidates.filter(({ check }) => check.end());
  const [text] = begun.candidates;
  // An encoding of 7 bits reads as ASCII; files in a text are counted by inspection.
  if (text?.check.mayShift() || text?.check.mayHoldMedia()) return undefined;
  if (text) return describePassing(text.mimeType, { encoding: text.encoding, hasByteOrderMark }, claims);
  return isMaybeText(begun) ? undefined : describePassing('application/octet-stream', {}, claims);
}

/** Describes a file of a type that needs no parser; undefined for all others. */
export function describePassing(
  mimeType: string,
  facts: AttachmentFacts,
  claims: FileClaims,
): PassingFinding | undefined {
  const kind = classifyMediaType(mimeType);
  if (kind !== 'text' && kind !== 'unsupported') return undefined;
  return { mimeType, kind, facts, warnings: describeTypeDifference(claims.declaredMimeType, mimeType) };
}
