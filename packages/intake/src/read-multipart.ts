import { Readable } from 'node:stream';
import { tooLarge } from './intake-fault.ts';
import { malformedBody } from './multipart-fault.ts';
import {
  createMultipartParser,
  type FilePart,
  type MultipartFields,
  type MultipartParser,
} from './multipart-parser.ts';
import { readChunks } from './read-chunks.ts';

export type MultipartInput = {
  /** A request, or its chunks through `readChunks` and guards. A request is never destroyed, so that it can be answered. */
  body: Readable | AsyncIterable<Uint8Array>;
  /** The Content-Type header. */
  contentType: string;
  limits: { maxFileBytes: number };
};

export type MultipartUpload = {
  fields: MultipartFields;
  file: {
    filename: string | undefined;
    declaredMimeType: string | undefined;
    /** The file's bytes. Ends only after the whole body has ended as it should; else it throws what `finished` rejects with. */
    stream: AsyncIterable<Uint8Array>;
    /** Settles with the end of the body. It need not be awaited by those who read `stream` to its end. */
    finished: Promise<void>;
  };
};

/** Boundaries, part headers and fields around the file. */
export const MAX_OVERHEAD_BYTES = 64 * 1024;

/**
 * Reads a multipart body up to its file: fields `source` and `name` (both optional), then one part `file`, then nothing. Nothing may be kept of a file before
 * `finished`. Faults: `MALFORMED_BODY`, `NO_FILE`, `PAYLOAD_TOO_LARGE` (the whole body); errors of the body itself are rethrown. Bytes after a fault stay
 * unread: close the connection after responding.
 */
export async function readMultipart({ body, contentType, limits }: MultipartInput): Promise<MultipartUpload> {
  const parser = createMultipartParser(contentType);
  const source = body instanceof Readable ? readChunks(body) : body;
  void feedParser(parser, source, limits.maxFileBytes);
  const part = await parser.begun;
  return {
    fields: part.fields,
    file: {
      filename: part.filename,
      declaredMimeType: part.declaredMimeType,
      stream: readFilePart(parser, part),
      finished: parser.finished,
    },
  };
}

async function feedParser(parser: MultipartParser, source: AsyncIterable<Uint8Array>, maxFileBytes: number) {
  let fedBytes = 0;
  try {
    for await (const chunk of source) {
      fedBytes += chunk.byteLength;
      if (fedBytes > maxFileBytes + MAX_OVERHEAD_BYTES) throw tooLarge(maxFileBytes);
      await parser.write(chunk);
      if (parser.isOver()) return;
      if (!parser.hasBegun() && fedBytes > MAX_OVERHEAD_BYTES) {
        throw malformedBody(`No file begins within the first ${MAX_OVERHEAD_BYTES} bytes.`);
      }
    }
    parser.end();
  } catch (error) {
    parser.fail(error);
  }
}

async function* readFilePart(parser: MultipartParser, part: FilePart): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of readChunks(part.bytes)) yield chunk;
  } catch (error) {
    // The part breaks because the body did, and the body knows why.
    await parser.finished;
    throw error;
  } finally {
    // Only of use to a reader that stops early: the rest of the body has no reader then.
    if (!part.bytes.readableEnded) parser.fail(new Error('The reader of the file stopped before its end.'));
  }
  await parser.finished;
}
