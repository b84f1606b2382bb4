import { type PdfDictionary, readDictionary, writeDictionary } from '../pdf-dictionary.ts';
import { encodePermissions } from './encode-permissions.ts';
import type { ProtectionHandler } from './find-handler.ts';
import { decodeString, encodeString } from './pdf-string.ts';

const identity = '/Identity';

/** Whether a document's own streams, among them its pages, are as they are without protection. */
export function leavesStreams({ entries }: ProtectionHandler): boolean {
  return versionOf(entries) >= 4 && filterOf(entries, '/StmF') === identity;
}

/** Whether nothing of a document is encrypted, but files within it. */
export function leavesAll(handler: ProtectionHandler): boolean {
  return leavesStreams(handler) && filterOf(handler.entries, '/StrF') === identity;
}

/** Whether the reader takes a handler for another one: it then opens the document, and reads it wrongly. */
export const isMisread = ({ entries }: ProtectionHandler): boolean =>
  (versionOf(entries) === 5 && (entries.get('/Length') ?? KEY_BITS) !== KEY_BITS) ||
  ['/StmF', '/StrF'].some((key) => entries.get(key) !== undefined && methodOf(entries, entries.get(key)) === '/None');

/**
 * Says what a handler says in the way in which the reader takes it, and other readers need not: with one filter for all, a length of the key in bits, and a
 * copy of the permissions that agrees with them. Undefined for handlers that are not the standard one.
 */
export function mendHandler(entries: PdfDictionary): PdfDictionary | undefined {
  if (entries.get('/Filter') !== '/Standard') return undefined;
  const mended = new Map(entries);
  // Makes room, in which the rest is written.
  for (const [key, value] of entries) if (/^[(<](?!<)/.test(value)) mended.set(key, encodeString(decodeString(value)));
  const version = versionOf(entries);
  if (version >= 4) unifyFilters(mended);
  if (version <= 3) countBits(mended);
  if (version === 5) {
    mended.set('/Length', KEY_BITS);
    mended.set('/Perms', encodePermissions(entries) ?? entries.get('/Perms') ?? '()');
  }
  return mended;
}

const versionOf = (entries: PdfDictionary) => Number(entries.get('/V') ?? 0);
/** Those of the only key that there is in version 5. */
const KEY_BITS = '256';

// A filter that does nothing is as good as none.
function filterOf(entries: PdfDictionary, key: string): string {
  const name = entries.get(key) ?? identity;
  return methodOf(entries, name) === '/None' ? identity : name;
}

function methodOf(entries: PdfDictionary, filter = ''): string | undefined {
  const filters = readDictionary(entries.get('/CF') ?? '', 0)?.entries;
  return readDictionary(filters?.get(filter) ?? '', 0)?.entries.get('/CFM');
}

function unifyFilters(mended: Map<string, string>): void {
  const used = [filterOf(mended, '/StmF'), filterOf(mended, '/StrF')].find((filter) => filter !== identity);
  const filters = readDictionary(mended.get('/CF') ?? '', 0)?.entries;
  const filter = readDictionary(filters?.get(used ?? '') ?? '', 0)?.entries;
  if (used === undefined || filter === undefined) return;
  const needed = new Map([...filter].filter(([key]) => key !== '/AuthEvent' && key !== '/Type'));
  mended.set('/CF', writeDictionary(new Map([[used, writeDictionary(needed)]])));
  mended.set('/StmF', used);
  mended.set('/StrF', used);
}

// Some writers count bytes. No key is as short as that in bits.
function countBits(mended: Map<string, string>): void {
  const length = Number(mended.get('/Length') ?? 40);
  if (length >= 5 && length <= 16) mended.set('/Length', String(length * 8));
}
