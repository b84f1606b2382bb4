import { randomBytes } from 'node:crypto';

/** A value that must appear nowhere, by the name under which a hit is reported. */
export type Canary = { name: string; bytes: Uint8Array };

export type CanaryHit = { canary: string; form: string; at: number };

/** As much of a value as must be seen to count: also one that was cut. */
const PIECE_BYTES = 16;

/** A value of random bytes. */
export const makeCanary = (name: string): Canary => ({ name, bytes: randomBytes(48) });

/** A given text, such as a secret or a signature. */
export const canaryOf = (name: string, text: string): Canary => ({ name, bytes: Buffer.from(text, 'utf8') });

/** A random text, for a file name or a message. Its blank and its quote are spelled differently by each encoding. */
export function makeTextCanary(name: string): Canary & { text: string } {
  const text = `${randomBytes(9).toString('hex')} "é" ${randomBytes(9).toString('hex')}`;
  return { ...canaryOf(name, text), text };
}

// The bytes before a value shift its base64 by up to two bytes: the characters that hold a neighbour's bits are left out.
function base64Forms(bytes: Buffer, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString(encoding)
      .replaceAll('=', '');
    const first = Math.ceil((shift * 8) / 6);
    return encoded.slice(first, Math.floor(((shift + bytes.length) * 8) / 6));
  });
}

const percent = (bytes: Buffer) => bytes.toString('hex').replaceAll(/../g, '%$&');

const escapeUnits = (text: string) =>
  [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** The spellings of one piece, each with its name. Those that are the same as an earlier one count once. */
function formsOf(bytes: Buffer): [form: string, needle: string][] {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  const quoted = JSON.stringify(text).slice(1, -1);
  const texts: [string, string][] = isText
    ? [
        ['raw', text],
        ['json', quoted],
        ['json in json', JSON.stringify(quoted).slice(1, -1)],
        ['json units', escapeUnits(text)],
        ['url', encodeURIComponent(text)],
        ['form', new URLSearchParams({ v: text }).toString().slice(2)],
      ]
    : [['latin1', bytes.toString('latin1')]];
  return [
    ...texts,
    ['hex', bytes.toString('hex')],
    ['percent', percent(bytes)],
    ['bytes', bytes.join(',')],
    ...base64Forms(bytes, 'base64').map((form): [string, string] => ['base64', form]),
    ...base64Forms(bytes, 'base64url').map((form): [string, string] => ['base64url', form]),
  ];
}

/** Beginning and end of a value: what was cut on one side still holds the other. */
function piecesOf({ bytes }: Canary): Buffer[] {
  const all = Buffer.from(bytes);
  return all.length <= PIECE_BYTES ? [all] : [all.subarray(0, PIECE_BYTES), all.subarray(-PIECE_BYTES)];
}

/** The same text without what wrapping and pretty-printing put into it. */
const compact = (text: string) => text.replaceAll(/\\[nrt]|\\\/|\s/g, (found) => (found === '\\/' ? '/' : ''));

/**
 * Every place where a canary is in a text: raw, as JSON, in hex, percent-encoded, as a list of bytes, and in base64 of both
 * alphabets at each of the three alignments, also broken over lines. Letter case does not count if it does not matter.
 */
export function findCanaries(text: string, canaries: readonly Canary[]): CanaryHit[] {
  const views = [text, compact(text)];
  const lowered = views.map((view) => view.toLowerCase());
  const hits = new Map<string, CanaryHit>();
  for (const canary of canaries) {
    for (const [form, needle] of piecesOf(canary).flatMap(formsOf)) {
      const isCaseless = !form.startsWith('base64');
      const places = (isCaseless ? lowered : views).map((view) =>
        view.indexOf(isCaseless ? needle.toLowerCase() : needle),
      );
      const at = places.find((place) => place >= 0);
      if (at !== undefined) hits.set(`${canary.name} ${form}`, { canary: canary.name, form, at });
    }
  }
  return [...hits.values()];
}
