import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import { malformedBody, noFile, toMultipartFault } from './multipart-fault.ts';

export type MultipartFields = { source?: string; name?: string };

/** The one file part. Someone must read or destroy `bytes` for the body to continue. */
export type FilePart = {
  fields: MultipartFields;
  filename: string | undefined;
  declaredMimeType: string | undefined;
  bytes: Readable;
};

export type MultipartParser = ReturnType<typeof createMultipartParser>;

const MAX_FIELD_BYTES = 1024;
const MAX_PARTS = 3;
const HOLD_BYTES = 128 * 1024;

// The parser reports a field or a part when it reaches its limit, not when it passes it; the closing boundary counts as a part.
const limits = { files: 1, fields: MAX_PARTS - 1, parts: MAX_PARTS + 1, fieldSize: MAX_FIELD_BYTES + 1 };

/**
 * Parses the bytes written to it. `begun` settles when the file part begins, `finished` when the whole body has been read;
 * both reject with what went wrong first. Throws Fault `MALFORMED_BODY` where the Content-Type is not that of a form.
 */
export function createMultipartParser(contentType: string) {
  const parser = openParser(contentType);
  const begun = Promise.withResolvers<FilePart>();
  const finished = Promise.withResolvers<void>();
  // Either may reject when nobody waits for it any more.
  begun.promise.catch(ignore);
  finished.promise.catch(ignore);
  let file: Readable | undefined;
  let isOver = false;
  let wake = ignore;

  function fail(error: unknown): void {
    if (isOver) return;
    isOver = true;
    begun.reject(error);
    finished.reject(error);
    parser.destroy();
    file?.destroy();
    wake();
  }

  readParts(parser, {
    refuse: (problem) => fail(malformedBody(problem)),
    begin: (part) => {
      file = part.bytes;
      begun.resolve(part);
    },
  });
  parser.on('error', (error) => fail(toMultipartFault(error)));
  parser.on('drain', () => wake());
  parser.on('finish', () => {
    if (file === undefined) return fail(noFile());
    isOver = true;
    finished.resolve();
  });

  return {
    begun: begun.promise,
    finished: finished.promise,
    hasBegun: () => file !== undefined,
    isOver: () => isOver,
    /** Ends everything with this error, unless it is over already. */
    fail,
    /** Resolves when more bytes are welcome, and when it is over. */
    async write(chunk: Uint8Array): Promise<void> {
      if (isOver || parser.write(chunk) || isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    end(): void {
      if (!isOver) parser.end();
    },
  };
}

function openParser(contentType: string): Busboy {
  // The parser would take urlencoded forms too.
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw malformedBody('The body is not multipart/form-data.');
  try {
    const headers = { 'content-type': contentType };
    return busboy({ headers, limits, defParamCharset: 'latin1', highWaterMark: HOLD_BYTES, fileHwm: HOLD_BYTES });
  } catch (error) {
    throw toMultipartFault(error);
  }
}

type PartHandlers = { refuse(problem: string): void; begin(part: FilePart): void };

/** Lets through at most one `source`, one `name`, then one `file`. */
function readParts(parser: Busboy, { refuse, begin }: PartHandlers): void {
  const fields: MultipartFields = {};
  let hasFile = false;
  parser.on('partsLimit', () => refuse('The body has too many parts.'));
  parser.on('filesLimit', () => refuse('The body has more than one file.'));
  parser.on('fieldsLimit', () => refuse('The body has too many fields.'));
  parser.on('field', (name, value, info) => {
    if (hasFile) return refuse('A field follows the file.');
    if (name === 'file') return refuse('The part `file` has no filename.');
    if (name !== 'source' && name !== 'name') return refuse('A field has another name than `source` or `name`.');
    if (fields[name] !== undefined) return refuse(`The field \`${name}\` occurs twice.`);
    if (info.valueTruncated) return refuse(`The field \`${name}\` is longer than ${MAX_FIELD_BYTES} bytes.`);
    // The declared type says string, but a charset that the parser does not know leaves nothing.
    if (typeof value !== 'string') return refuse(`The field \`${name}\` has an unknown charset. Send UTF-8.`);
    fields[name] = value;
  });
  parser.on('file', (name, bytes, { filename, mimeType, encoding }) => {
    bytes.on('error', ignore);
    hasFile = true;
    if (!identityEncodings.has(encoding)) return refuse('The file has a Content-Transfer-Encoding. Send its bytes.');
    if (name !== 'file') return refuse('The part with the file has another name than `file`.');
    begin({ fields, filename: readFilename(filename), declaredMimeType: mimeType, bytes });
  });
}

const identityEncodings = new Set(['7bit', '8bit', 'binary']);

// Read as Latin-1, in which each byte is a character: names in UTF-8 are by far the most, and others remain readable.
function readFilename(filename: string | undefined): string | undefined {
  if (filename === undefined || filename === '') return undefined;
  if (/[^\0-\xff]/.test(filename)) return filename;
  const bytes = Buffer.from(filename, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : new TextDecoder('windows-1252').decode(bytes);
}

function ignore(): void {}
