import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { within } from '../within.ts';
import type { FileContent, Frame } from './create-frame.ts';

// A multiple of 3, so that the pieces' base64 joins without padding.
const PIECE_BYTES = 192 * 1024;
// Base64 is made in small strings: a large one takes eight times as long, and stays in memory until a full collection.
const STRING_BYTES = 24 * 1024;

export type WriteOutcome =
  | { status: 'written'; sizeBytes: number }
  /** Nothing was written. */
  | { status: 'cancelled' }
  | { status: 'file-missing'; diagnostic: string }
  /** The child does not take anything any more; `hasBegun` says whether it may have part of the line. */
  | { status: 'closed'; hasBegun: boolean }
  /** Part of the line was written: the connection is of no more use. */
  | { status: 'stalled' }
  | { status: 'file-changed' };

export type WriteHooks = {
  /** Awaited right before the first byte. A throw leaves the line unwritten and is passed on. */
  onWriting?: (() => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
};

export type FrameWriter = {
  /** Writes one frame; frames are never interleaved. Resolves when the operating system accepted the last byte. */
  write(frame: Frame, hooks?: WriteHooks): Promise<WriteOutcome>;
};

type WriteTarget = { output: Writable; stallMs: number };
type OpenPiece =
  | { type: 'text'; text: string }
  | { type: 'bytes'; bytes: Buffer }
  | { type: 'file'; handle: FileHandle; sizeBytes: number };

/** Writes frames to one child with back-pressure. `stallMs` bounds how long the child may accept nothing. */
export function createFrameWriter(target: WriteTarget): FrameWriter {
  let last: Promise<unknown> = Promise.resolve();
  // Without a listener a broken pipe would end the process.
  target.output.on('error', () => undefined);
  return {
    write(frame, hooks = {}) {
      const writing = last.then(() => writeFrame(target, frame, hooks));
      last = writing.catch(() => undefined);
      return writing;
    },
  };
}

async function writeFrame(target: WriteTarget, frame: Frame, hooks: WriteHooks): Promise<WriteOutcome> {
  const opened = await openFiles(frame);
  try {
    if (opened.missing !== undefined) return { status: 'file-missing', diagnostic: opened.missing };
    if (hooks.signal?.aborted) return { status: 'cancelled' };
    if (!target.output.writable) return { status: 'closed', hasBegun: false };
    await hooks.onWriting?.();
    return await writePieces(target, opened.pieces);
  } finally {
    await Promise.all(opened.pieces.map((piece) => (piece.type === 'file' ? piece.handle.close() : undefined)));
  }
}

type OpenOutcome = { pieces: OpenPiece[]; missing: string | undefined };

/** All files are opened before the first byte: what is missing then leaves no half line behind. */
async function openFiles(frame: Frame): Promise<OpenOutcome> {
  const pieces: OpenPiece[] = [];
  for (const file of frame.named) {
    const handle = await openWhole(file);
    if (typeof handle === 'string') return { pieces, missing: handle };
    await handle.close();
  }
  for (const piece of frame.pieces) {
    if (piece.type === 'text') {
      pieces.push(piece);
      continue;
    }
    const { content } = piece;
    if ('bytes' in content) {
      pieces.push({ type: 'bytes', bytes: content.bytes });
      continue;
    }
    const handle = await openWhole(content);
    if (typeof handle === 'string') return { pieces, missing: handle };
    pieces.push({ type: 'file', handle, sizeBytes: content.sizeBytes });
  }
  return { pieces, missing: undefined };
}

/** The open file, or why it is not there as it should be. A link in its place is not followed. */
async function openWhole({ path, sizeBytes }: FileContent): Promise<FileHandle | string> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (stat.isFile() && stat.size === sizeBytes) return handle;
    await handle.close();
    return stat.isFile() ? `${stat.size} bytes instead of ${sizeBytes}` : 'not a file';
  } catch (error) {
    await handle?.close();
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}

/** Small chunks go out together: each write wakes the child again. */
async function writePieces(target: WriteTarget, pieces: readonly OpenPiece[]): Promise<WriteOutcome> {
  let sizeBytes = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const flush = async () => {
    if (heldBytes === 0) return undefined;
    const fault = await writeTogether(target, held);
    sizeBytes += heldBytes;
    held = [];
    heldBytes = 0;
    return fault;
  };
  for (const piece of pieces) {
    for await (const chunk of chunksOf(piece)) {
      if (chunk === 'file-changed') return { status: 'file-changed' };
      held.push(chunk);
      heldBytes += chunk.length;
      const fault = heldBytes >= PIECE_BYTES ? await flush() : undefined;
      if (fault !== undefined) return fault;
    }
  }
  return (await flush()) ?? { status: 'written', sizeBytes };
}

async function* chunksOf(piece: OpenPiece): AsyncGenerator<Buffer | 'file-changed'> {
  if (piece.type === 'text') return yield Buffer.from(piece.text);
  if (piece.type === 'bytes') return yield* base64Of(piece.bytes);
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(piece.sizeBytes, 1)));
  const encode = createEncoder();
  for (let offset = 0; offset < piece.sizeBytes; offset += PIECE_BYTES) {
    const read = buffer.subarray(0, Math.min(PIECE_BYTES, piece.sizeBytes - offset));
    if (!(await readWhole(piece.handle, read, offset))) return yield 'file-changed';
    yield encode(read);
  }
}

function* base64Of(bytes: Buffer): Generator<Buffer> {
  const encode = createEncoder();
  for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
    yield encode(bytes.subarray(offset, offset + PIECE_BYTES));
  }
}

/** Encodes one piece after the other into the same memory: a whole piece is written before the next one is asked for. */
function createEncoder(): (bytes: Buffer) => Buffer {
  let target: Buffer | undefined;
  return (bytes) => {
    target ??= Buffer.allocUnsafe(4 * Math.ceil(bytes.length / 3));
    let size = 0;
    for (let offset = 0; offset < bytes.length; offset += STRING_BYTES) {
      size += target.write(bytes.toString('base64', offset, offset + STRING_BYTES), size, 'latin1');
    }
    return target.subarray(0, size);
  };
}

async function readWhole(handle: FileHandle, buffer: Buffer, offset: number): Promise<boolean> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) return false;
    filled += bytesRead;
  }
  return true;
}

/** One gathered write in flight: its callback says that the operating system accepted all of it. */
async function writeTogether(
  { output, stallMs }: WriteTarget,
  chunks: readonly Buffer[],
): Promise<WriteOutcome | undefined> {
  const written = new Promise<boolean>((resolve) => {
    output.cork();
    for (const [index, chunk] of chunks.entries()) {
      output.write(chunk, index === chunks.length - 1 ? (error) => resolve(!error) : undefined);
    }
    output.uncork();
  });
  const result = await within(written, stallMs);
  if (result === 'timeout') return { status: 'stalled' };
  return result ? undefined : { status: 'closed', hasBegun: true };
}
