import { endContentChunk, spoilContent } from '../content/content-scan.ts';
import { readContent } from '../content/read-content.ts';
import { MALFORMED } from '../content/string/read-string.ts';
import { findStringEnd } from '../json/find-string-end.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLAIN,
  QUOTE,
  SCALARS,
  SPACES,
  skipPlain,
} from '../json/json-bytes.ts';
import type { RefusalCode } from '../relay-types.ts';
import type { ObjectScan } from './object-scan.ts';

// Finds single values at the top of one JSON object while it streams through, whatever its size. Between two keys it looks at brackets and
// strings alone; what a provider could read in another way than this scan (a key twice, comments, two values) ends it.

const MAX_DEPTH = 1_000;
const MAX_KEYS = 256;
const MAX_KEY_BYTES = 256;

/** Reads on. Returns why the body is refused, after which the scan is over. */
export function scanChunk(scan: ObjectScan, chunk: Buffer): RefusalCode | undefined {
  let at = 0;
  while (at < chunk.length) {
    if (scan.content?.isOpen) {
      at = readContent(scan.content, chunk, at);
      if (at === MALFORMED) return 'relay_body_malformed';
    } else if (scan.isInString) {
      const end = findStringEnd(scan.place, chunk, at);
      if (end === -1) break;
      scan.isInString = false;
      const refused = scan.state === 'key' ? endKey(scan, chunk, end) : undefined;
      if (refused !== undefined) return refused;
      at = end + 1;
    } else {
      if (scan.closers.length > 1) at = skipPlain(chunk, at);
      const refused = at < chunk.length ? takeByte(scan, chunk, at) : undefined;
      if (refused !== undefined) return refused;
      at += 1;
    }
  }
  if (scan.content !== undefined) endContentChunk(scan.content, chunk);
  if (scan.keptFrom === undefined) return undefined;
  // The chunk's memory is used again.
  const refused = keepBytes(scan, Buffer.from(chunk.subarray(scan.keptFrom)));
  scan.keptFrom = 0;
  return refused;
}

function takeByte(scan: ObjectScan, chunk: Buffer, at: number): RefusalCode | undefined {
  const byte = chunk[at] ?? 0;
  if (SPACES.has(byte)) return undefined;
  const isTaken = scan.closers.length > 1 ? takeInner(scan, byte) : takeTop(scan, byte, at);
  if (isTaken) return undefined;
  if (scan.closers.length > 1 || scan.key === undefined || (byte !== COMMA && byte !== CLOSE_BRACE))
    return 'relay_body_malformed';
  return endValue(scan, chunk, at) ?? (takeTop(scan, byte, at) ? undefined : 'relay_body_malformed');
}

/** A byte below the top. */
function takeInner(scan: ObjectScan, byte: number): boolean {
  if (byte === QUOTE) {
    scan.isInString = true;
    return true;
  }
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return openBracket(scan, byte);
  if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return scan.closers.pop() === byte;
  return PLAIN[byte] === 1;
}

/** A byte at the top. Does not take the end of a wanted value. */
function takeTop(scan: ObjectScan, byte: number, at: number): boolean {
  switch (scan.state) {
    case 'start':
      scan.state = 'first-key';
      return byte === OPEN_BRACE && openBracket(scan, byte);
    case 'first-key':
    case 'key':
      if (byte === CLOSE_BRACE && scan.state === 'first-key') return endObject(scan);
      scan.state = 'key';
      scan.isInString = true;
      scan.keptFrom = at + 1;
      return byte === QUOTE;
    case 'colon':
      scan.state = scan.isAtContent ? 'after' : 'value';
      if (scan.content !== undefined) scan.content.isOpen = scan.isAtContent;
      if (scan.key !== undefined) scan.keptFrom = at + 1;
      return byte === COLON;
    case 'value':
      return startValue(scan, byte);
    case 'scalar':
    case 'after':
      if (scan.state === 'scalar' && SCALARS.has(byte)) return true;
      if (scan.key !== undefined) return false;
      if (byte === CLOSE_BRACE) return endObject(scan);
      scan.state = 'key';
      return byte === COMMA;
    case 'done':
      return false;
    default:
      return scan.state satisfies never;
  }
}

function startValue(scan: ObjectScan, byte: number): boolean {
  scan.state = SCALARS.has(byte) ? 'scalar' : 'after';
  scan.isInString = byte === QUOTE;
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return openBracket(scan, byte);
  return scan.isInString || scan.state === 'scalar';
}

function openBracket(scan: ObjectScan, byte: number): boolean {
  // In ASCII, a closing bracket comes two after its opening one.
  scan.closers.push(byte + 2);
  return scan.closers.length <= MAX_DEPTH;
}

function endObject(scan: ObjectScan): boolean {
  scan.closers.pop();
  scan.state = 'done';
  return true;
}

function endKey(scan: ObjectScan, chunk: Buffer, end: number): RefusalCode | undefined {
  const json = takeKept(scan, chunk, end);
  const key = json === undefined ? undefined : readString(`"${json}"`);
  if (key === undefined || scan.keys.has(key) || scan.keys.size === MAX_KEYS) return 'relay_body_malformed';
  scan.keys.add(key);
  scan.state = 'colon';
  scan.key = scan.wanted.has(key) ? key : undefined;
  scan.isAtContent = key === scan.contentKey;
  if (scan.content !== undefined && !scan.isAtContent && key.toUpperCase() === scan.contentKey?.toUpperCase())
    spoilContent(scan.content);
  return scan.key === undefined && isNearlyWanted(scan, key) ? 'relay_body_malformed' : undefined;
}

/** Some servers take `Model` for `model`, and the later one wins. */
function isNearlyWanted(scan: ObjectScan, key: string): boolean {
  const folded = key.toUpperCase();
  return scan.wanted.keys().some((wanted) => wanted.toUpperCase() === folded);
}

function endValue(scan: ObjectScan, chunk: Buffer, end: number): RefusalCode | undefined {
  const key = scan.key ?? '';
  const json = takeKept(scan, chunk, end);
  scan.key = undefined;
  return json === undefined ? 'relay_body_too_large' : scan.onValue(key, json);
}

/** The text that was kept, or nothing where it is too long. */
function takeKept(scan: ObjectScan, chunk: Buffer, end: number): string | undefined {
  if (keepBytes(scan, chunk.subarray(scan.keptFrom ?? end, end)) !== undefined) return undefined;
  const text = Buffer.concat(scan.kept).toString('utf8');
  Object.assign(scan, { keptFrom: undefined, kept: [], keptBytes: 0 });
  return text;
}

function keepBytes(scan: ObjectScan, bytes: Buffer): RefusalCode | undefined {
  scan.kept.push(bytes);
  scan.keptBytes += bytes.length;
  const isKey = scan.key === undefined;
  const most = isKey ? MAX_KEY_BYTES : (scan.wanted.get(scan.key ?? '') ?? 0);
  if (scan.keptBytes <= most) return undefined;
  return isKey ? 'relay_body_malformed' : 'relay_body_too_large';
}

function readString(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}
