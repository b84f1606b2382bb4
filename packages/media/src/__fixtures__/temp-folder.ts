import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TempFolder = {
  pathOf(name: string): string;
  /** Writes a file and returns its path. */
  write(name: string, content: string | Uint8Array): string;
  remove(): void;
};

/** A folder for the tests of one file, which remove it at their end. */
export function createTempFolder(): TempFolder {
  const folder = mkdtempSync(join(tmpdir(), 'attache-media-'));
  return {
    pathOf: (name) => join(folder, name),
    write(name, content) {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
