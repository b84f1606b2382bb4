import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Attachment, Fault, MAX_INLINE_ATTACHMENTS, MAX_TEXT_LENGTH } from '@attache/contracts';
import { describeSpelling, formatMarker, mayHoldFiles, type TakenFile, takeOutInSteps } from '@attache/domain';
import type { Caller } from '../../caller/caller.ts';
import { type StoreDeps, storeFiles } from './store-inline.ts';

/** The words of a message in order: what stays, and the files in them. */
export type Words = readonly (string | TakenFile)[];

export type WordsRequest = {
  text?: string | undefined;
  textMedia?: 'extract' | 'keep' | undefined;
  /** How many files the message has besides. */
  fileCount: number;
};

/** Finds the media in the words of a message. Faults: more words, or more files, than a message may have. */
export async function readWords({ text = '', textMedia, fileCount }: WordsRequest): Promise<Words> {
  const words = textMedia === 'keep' || !mayHoldFiles(text) ? [text] : await takeOut(text);
  const length = words.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 0), 0);
  if (length > MAX_TEXT_LENGTH) {
    throw new Fault('INVALID_REQUEST', `text: may have ${MAX_TEXT_LENGTH} characters. Upload longer texts as files.`);
  }
  if (fileCount + byDigest(words).size > MAX_INLINE_ATTACHMENTS) {
    const limit = `A message may hold ${MAX_INLINE_ATTACHMENTS} files, those in its text included.`;
    throw new Fault('INVALID_REQUEST', `${limit} Upload others, and name them in attachmentIds.`);
  }
  return words;
}

/** A text may be all of a large body: others have their turn after each step. */
async function takeOut(text: string): Promise<Words> {
  const steps = takeOutInSteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

export const filesIn = (words: Words): TakenFile[] => words.filter((piece) => typeof piece !== 'string');

/** The words of a message once the files in them are attachments: their markers take their places. */
export type TakenOut = { text: string; attachments: Attachment[] };

/** Stores the files in the words of a message as uploads of its session, the same bytes once: all of them, or none (SR-24, DL-98). */
export async function storeWords(deps: StoreDeps, caller: Caller, sessionId: string, words: Words): Promise<TakenOut> {
  const files = byDigest(words);
  const stored = await storeFiles(deps, caller, sessionId, [...files.values()].map(toMessageFile));
  const attachments = new Map([...files.keys()].map((digest, index) => [digest, stored[index]]));
  const mark = (file: TakenFile): string => {
    const attachment = attachments.get(digestOf(file));
    if (attachment === undefined) return '';
    return file.kind === 'media'
      ? formatMarker(attachment)
      : formatMarker(attachment) + describeSpelling(file.spelling);
  };
  return {
    text: words.map((piece) => (typeof piece === 'string' ? piece : mark(piece))).join(''),
    attachments: stored,
  };
}

/** The same bytes are one file, however often they are in the words. */
const byDigest = (words: Words): Map<string, TakenFile> =>
  new Map(filesIn(words).map((file) => [digestOf(file), file]));

const digestOf = ({ bytes }: TakenFile): string => createHash('sha256').update(bytes).digest('hex');

function toMessageFile({ kind, mimeType, spelling, bytes }: TakenFile, index: number) {
  const isText = kind === 'bytes' && spelling === undefined;
  const declaredMimeType = mimeType ?? (isText ? 'text/plain' : 'application/octet-stream');
  const name = `pasted-${index + 1}.${extensions[declaredMimeType] ?? declaredMimeType.split('/')[1] ?? 'bin'}`;
  return { sizeBytes: bytes.length, opened: { stream: once(bytes), name, declaredMimeType, source: 'inbox' as const } };
}

const extensions: Record<string, string> = {
  'application/octet-stream': 'bin',
  'text/plain': 'txt',
  'image/svg+xml': 'svg',
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
