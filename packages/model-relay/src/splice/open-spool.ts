import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piece } from './list-pieces.ts';

/** Size of one disk operation: each costs as much as copying this much. */
const STEP_BYTES = 256 * 1024;

/** A body on the disk. Each function rejects with the system's error. */
export type Spool = {
  /** Takes a copy of what comes next. Returns what settles once the disk has caught up, where there is something to wait for. */
  write(chunk: Buffer): Promise<void> | undefined;
  /** Settles when all is on the disk. */
  flush(): Promise<void>;
  /** Reads it in these pieces. What it yields may be used until the next piece is asked for. */
  read(pieces: Iterable<Piece>): AsyncIterable<Buffer>;
  /** May be called while something is written. */
  close(): Promise<void>;
};

/** Opens a file that has no name any more when this resolves, so that nothing is left of it whatever happens. */
export async function openSpool(folder: string): Promise<Spool> {
  const file = await openNameless(folder);
  const free: Buffer[] = [];
  let step: Buffer = Buffer.allocUnsafeSlow(STEP_BYTES);
  let filledBytes = 0;
  let sizeBytes = 0;
  let written = Promise.resolve();

  function startWrite(): Promise<void> {
    const [bytes, lengthBytes, at] = [step, filledBytes, sizeBytes];
    sizeBytes += lengthBytes;
    filledBytes = 0;
    step = free.pop() ?? Buffer.allocUnsafeSlow(STEP_BYTES);
    written = written
      .then(() => writeWhole(file, bytes.subarray(0, lengthBytes), at))
      .then(() => void free.push(bytes));
    return written;
  }

  return {
    write(chunk) {
      let started: Promise<void> | undefined;
      for (let taken = 0; taken < chunk.length; ) {
        const copied = chunk.copy(step, filledBytes, taken);
        taken += copied;
        filledBytes += copied;
        if (filledBytes === STEP_BYTES) started = startWrite();
      }
      return started;
    },
    flush: () => startWrite(),
    read(pieces) {
      free.length = 0;
      return readAhead(readPieces(file, pieces));
    },
    close: () => file.close(),
  };
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `attache-request-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The system may write less than it is given. */
async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/** Begins the next step while one is used. */
async function* readAhead(steps: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let next = beginStep(steps);
  try {
    for (let step = await next; step.done !== true; step = await next) {
      next = beginStep(steps);
      yield step.value;
    }
  } finally {
    // An operation in progress ends before the file is closed.
    await next.catch(() => {});
  }
}

/** The step may fail before anything waits for it. */
function beginStep(steps: AsyncGenerator<Buffer>): Promise<IteratorResult<Buffer>> {
  const step = steps.next();
  step.catch(() => {});
  return step;
}

/** Fills one step after the other, in two buffers by turns, however small the pieces are. */
async function* readPieces(file: FileHandle, pieces: Iterable<Piece>): AsyncGenerator<Buffer> {
  let [step, other] = [Buffer.allocUnsafeSlow(STEP_BYTES), Buffer.allocUnsafeSlow(STEP_BYTES)];
  let filledBytes = 0;
  for (const piece of pieces) {
    for (let done = 0; done < sizeOf(piece); ) {
      const room = step.subarray(filledBytes, filledBytes + sizeOf(piece) - done);
      const filled = await fill(file, room, piece, done);
      done += filled;
      filledBytes += filled;
      if (filledBytes < STEP_BYTES) continue;
      yield step;
      [step, other] = [other, step];
      filledBytes = 0;
    }
  }
  if (filledBytes > 0) yield step.subarray(0, filledBytes);
}

const sizeOf = (piece: Piece): number => ('start' in piece ? piece.end - piece.start : piece.length);

/** Copies what comes of a piece from `from` on, as much as there is room for or less. */
async function fill(file: FileHandle, room: Buffer, piece: Piece, from: number): Promise<number> {
  if (!('start' in piece)) return piece.copy(room, 0, from);
  const { bytesRead } = await file.read(room, 0, room.length, piece.start + from);
  if (bytesRead === 0) throw new Error('A body on the disk is shorter than what was written.');
  return bytesRead;
}
