import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Attachment, Fault, MAX_INLINE_ATTACHMENTS, MAX_TEXT_LENGTH } from '@attache/contracts';
import { extensionOf, markTaken, mayHoldFiles, type TakenFile, takeOutInSteps, typeOfTaken } from '@attache/domain';
import type { Caller } from '../../caller/caller.ts';
import { type MessageFile, type StoreDeps, storeFiles } from './store-inline.ts';

/** A file in the words of a message. */
export type WordFile = TakenFile & { sha256: string };

/** The words of a message in order: what stays, and the files in them. */
export type Words = readonly (string | WordFile)[];

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
    if (done) return value.map((piece) => (typeof piece === 'string' ? piece : withDigest(piece)));
    await nextTurn();
  }
}

const withDigest = (file: TakenFile): WordFile => ({
  ...file,
  sha256: createHash('sha256').update(file.bytes).digest('hex'),
});

export const filesIn = (words: Words): WordFile[] => words.filter((piece) => typeof piece !== 'string');

/** The words of a message once the files in them are attachments: their markers take their places. */
export type TakenOut = { text: string; attachments: Attachment[] };

/** Stores the files in the words of a message as uploads of its session, the same bytes once: all of them, or none (SR-24, DL-98). */
export async function storeWords(deps: StoreDeps, caller: Caller, sessionId: string, words: Words): Promise<TakenOut> {
  const files = byDigest(words);
  const stored = await storeFiles(deps, caller, sessionId, [...files.values()].map(toMessageFile));
  const attachments = new Map([...files.keys()].map((digest, index) => [digest, stored[index]]));
  const mark = (file: WordFile): string => {
    const attachment = attachments.get(file.sha256);
    return attachment === undefined ? '' : markTaken(attachment, file);
  };
  return {
    text: words.map((piece) => (typeof piece === 'string' ? piece : mark(piece))).join(''),
    attachments: stored,
  };
}

/** The same bytes are one file, however often they are in the words. */
const byDigest = (words: Words): Map<string, WordFile> => new Map(filesIn(words).map((file) => [file.sha256, file]));

function toMessageFile(file: WordFile, index: number): MessageFile {
  const declaredMimeType = typeOfTaken(file);
  const name = `pasted-${index + 1}.${extensionOf(declaredMimeType)}`;
  const { bytes } = file;
  return { sizeBytes: bytes.length, opened: { stream: once(bytes), name, declaredMimeType, source: 'inbox' } };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
