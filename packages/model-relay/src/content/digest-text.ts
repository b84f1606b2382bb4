import { hash } from 'node:crypto';
import type { SpelledText } from './content-types.ts';

/** The digest that a text has in a `RelayedContent`. */
export function digestText(text: string): SpelledText {
  const spelled = Buffer.from(JSON.stringify(text).slice(1, -1));
  return { sha256: hash('sha256', spelled), sizeBytes: spelled.length };
}
