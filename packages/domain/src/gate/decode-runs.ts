import { decodeJsonEscapes, decodePercent } from './decode-escapes.ts';

// An id, however it is escaped, is spelled in letters, digits and `_-%\`, and only an escape of one of these can lead to one.
const escapePattern = /(?:%|\\u00)(?:2[5Dd]|3[0-9]|[46][1-9A-Fa-f]|5[0-9AaCcFf]|7[0-9Aa])/g;
const restOfRun = /[A-Za-z0-9_%\\-]*/y;

const runCharacters = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_%\\-')
  runCharacters[character.charCodeAt(0)] = 1;

/**
 * Decodes the escapes of a text by one layer. Each stretch that could hold an escaped text of at least `minLength` id characters is decoded twice: once as
 * percent-encoding and once as a JSON string. The two are separate, not one after the other: `\u000a` eats the `a` of an `att%5f` that percent-decoding shows.
 * JSON inside a text needs no parser, since all it can do to an id is to escape its characters.
 */
export function decodeRuns(text: string, minLength: number): string[] {
  if (!text.includes('%') && !text.includes('\\')) return [];
  const layers: string[] = [];
  escapePattern.lastIndex = 0;
  for (let match = escapePattern.exec(text); match !== null; match = escapePattern.exec(text)) {
    const run = readRun(text, match.index);
    escapePattern.lastIndex = restOfRun.lastIndex;
    if (run.length <= minLength) continue;
    for (const layer of decodeRun(run)) if (layer.length >= minLength && layer.length < run.length) layers.push(layer);
  }
  return layers;
}

/** The run around `index`; `restOfRun.lastIndex` is its end afterwards. */
function readRun(text: string, index: number): string {
  let start = index;
  while (runCharacters[text.charCodeAt(start - 1)] === 1) start -= 1;
  restOfRun.lastIndex = index;
  restOfRun.test(text);
  return text.slice(start, restOfRun.lastIndex);
}

function decodeRun(run: string): string[] {
  const layers: string[] = [];
  if (run.includes('%')) layers.push(decodePercent(run));
  if (run.includes('\\')) layers.push(decodeJsonEscapes(run));
  return layers;
}
