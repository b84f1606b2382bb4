import { dirname, isAbsolute } from 'node:path';

/** Where the programs that come with the product lie: each loads files that lie beside it. */
export function foldersOfPrograms(bundledPrograms: Readonly<Record<string, readonly string[]>>): string[] {
  const scripts = Object.values(bundledPrograms).flatMap((command) => command.slice(1).filter(isAbsolute));
  return [...new Set(scripts.map((script) => dirname(script)))];
}
