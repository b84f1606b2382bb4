import type { Attachment } from '../delivery/attachment.ts';
import { isId } from '../ids.ts';
import { invisibleCharacters } from './invisible.ts';
import { essenceOf } from './media-type.ts';

export type Marker = Pick<Attachment, 'id' | 'mimeType' | 'name'>;

// Brackets end a marker; their look-alikes could make a reader see a second one.
const brackets = /[[\]\uff3b\uff3d\u27e6\u27e7\u2772\u2773]/g;
const markerPattern =
  /\[attachment id=(att_[A-Za-z0-9_-]{22}) type=([a-z0-9!#$&^_.+/-]{3,255}) name=("(?:[^"\\[\]\n\r]|\\.){0,2000}")\]/g;

/** `[attachment id=att_… type=image/png name="…"]`: one line, whatever the name holds (AT-58). The name is a JSON string. */
export function formatMarker({ id, mimeType, name }: Marker): string {
  const quoted = JSON.stringify(name).replaceAll(invisibleCharacters, escapeUnits).replaceAll(brackets, escapeUnits);
  return `[attachment id=${id} type=${essenceOf(mimeType) ?? 'application/octet-stream'} name=${quoted}]`;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

/**
 * Every marker in a text, in order. Text that people or tools wrote may hold markers too: it stays text, so what is found
 * here is a claim. Whoever acts on an id must check that it belongs to the session; type and name prove nothing.
 */
export function parseMarkers(text: string): Marker[] {
  return [...text.matchAll(markerPattern)].flatMap(([, id = '', mimeType = '', quoted = '']) => {
    const name = parseString(quoted);
    return isId('attachment', id) && name !== undefined ? [{ id, mimeType, name }] : [];
  });
}

function parseString(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
