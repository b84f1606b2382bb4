import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** A shorter text stays: its digest would not be shorter. */
const LEAST_BYTES = 1024;

/** JSON with digests in the place of one field's long texts, and the texts by digest: bytes as JSON spells them, escapes included. */
export type CutJson = { json: Uint8Array; texts: ReadonlyMap<string, Uint8Array> };

/**
 * Cuts the long texts of a field out of JSON, before it is decoded and parsed, which would copy each of them three times. The digest of a
 * text takes its place, so that two bodies differ if their texts do. The texts lie in `bytes`. JSON stays as valid or invalid as it is:
 * between the quotes of a text nothing ends it. A field whose name is spelled with escapes is left as it is.
 */
export async function cutTexts(bytes: Buffer, field: string): Promise<CutJson> {
  const name = Buffer.from(`"${field}"`);
  const kept: Uint8Array[] = [];
  const texts = new Map<string, Uint8Array>();
  let keptTo = 0;
  let at = bytes.indexOf(name);
  while (at !== -1) {
    const start = findText(bytes, at + name.length);
    const end = start === undefined ? undefined : findEnd(bytes, start);
    if (start !== undefined && end !== undefined && end - start >= LEAST_BYTES) {
      const text = bytes.subarray(start, end);
      const digest = await digestOf(text);
      texts.set(digest, text);
      kept.push(bytes.subarray(keptTo, start), Buffer.from(digest));
      keptTo = end;
    }
    at = bytes.indexOf(name, end ?? at + name.length);
  }
  return { json: keptTo === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(keptTo)]), texts };
}

const SLICE_BYTES = 1024 * 1024;

/** A text may be all of a large body: after each slice others have their turn. */
async function digestOf(text: Uint8Array): Promise<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < text.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn();
    digest.update(text.subarray(at, at + SLICE_BYTES));
  }
  return digest.digest('hex');
}

/** The first byte of the text that is the value of a key whose name ends before `from`. Undefined if the value is no text. */
function findText(bytes: Buffer, from: number): number | undefined {
  const colon = skipBlanks(bytes, from);
  if (bytes[colon] !== COLON) return undefined;
  const quote = skipBlanks(bytes, colon + 1);
  return bytes[quote] === QUOTE ? quote + 1 : undefined;
}

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1;
  return at;
}

/** The quote that ends a text: one behind an even number of backslashes. */
function findEnd(bytes: Buffer, start: number): number | undefined {
  for (let quote = bytes.indexOf(QUOTE, start); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (before > start && bytes[before - 1] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return undefined;
}
