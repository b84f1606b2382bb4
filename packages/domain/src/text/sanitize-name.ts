import { invisibleCharacters } from '@attache/contracts';
import { utf8Bytes } from './text-size.ts';

const MAX_NAME_BYTES = 200;

const MAX_EXTENSION_BYTES = 16;
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const reservedOnWindows = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?: *\.|$)/i;

/**
 * A file's name as a label of at most 200 UTF-8 bytes: one line, no invisible characters, no path separator, never read as
 * a flag, a hidden file or a device. Still only a label: no path is ever made of it. Empty becomes `fallback`.
 */
export function sanitizeName(raw: string | undefined, fallback: string): string {
  const visible = (raw ?? '').replaceAll(lineBreaks, ' ').replaceAll(invisibleCharacters, '').normalize('NFC');
  const label = visible
    .replaceAll(/[/\\]/g, '_')
    .replaceAll(/\s+/gu, ' ')
    .replace(/^ /, '')
    .replace(/[ .]+$/, '');
  if (label === '') return fallback;
  return cutToBytes(guardStart(label)).replace(/[ .]+$/, '');
}

// Kept with a prefix rather than removed, so that `.env` and `-rf` still say what the file was called.
function guardStart(label: string): string {
  return /^[-.]/.test(label) || reservedOnWindows.test(label) ? `_${label}` : label;
}

/** Cuts between characters and keeps a short extension, so that the label still shows the type. */
function cutToBytes(label: string): string {
  if (utf8Bytes(label) <= MAX_NAME_BYTES) return label;
  const dot = label.lastIndexOf('.');
  const tail = dot > 0 ? label.slice(dot) : '';
  const extension = utf8Bytes(tail) <= MAX_EXTENSION_BYTES ? tail : '';
  const stem = takeBytes(label.slice(0, label.length - extension.length), MAX_NAME_BYTES - utf8Bytes(extension));
  return stem + extension;
}

function takeBytes(text: string, maxBytes: number): string {
  let taken = 0;
  let bytes = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > maxBytes) break;
    taken += character.length;
  }
  return text.slice(0, taken);
}
