import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of `attache-box` for this processor; undefined where there is none. */
export function findBox(): string | undefined {
  const file = fileURLToPath(new URL(`../../native/${process.arch}/attache-box`, import.meta.url));
  return existsSync(file) ? file : undefined;
}
