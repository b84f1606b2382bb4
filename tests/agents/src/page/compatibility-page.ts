import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { type InstalledRuntime, listInstalled } from '../agents-stack.ts';
import { haveAgentsChanged } from '../changes.ts';
import type { SampleFile } from '../files.ts';
import { keysUnderTest } from '../runtimes.ts';
import type { Matrix } from './matrix.ts';
import { formatTables, nameProgram, replaceRows } from './page-table.ts';

const page = fileURLToPath(new URL('../../../../docs/compatibility.md', import.meta.url));
const HOW_TO_WRITE = 'Run ATTACHE_WRITE_COMPATIBILITY=1 npm run test:long -- agents.';
const NOT_TRIED = 'not tried';

/** The results of one program, as rows of the page's table. */
export function composeRows(runtime: InstalledRuntime, samples: readonly SampleFile[], matrix: Matrix): string[] {
  const { key } = runtime;
  return [
    [key, 'every kind'],
    [`${key}-text`, 'text'],
  ].map(([profile, ability]) => {
    const cells = samples.map(({ kind }) => matrix.get(`${profile} ${kind}`) ?? NOT_TRIED);
    return `| ${nameProgram(runtime)} | ${ability} | ${cells.join(' | ')} |`;
  });
}

/** The names under which one program's rows are kept until all are there. */
const parts = ['kinds', 'sizes', 'own-calls', 'wire'] as const;

/** Undefined if the page has these rows, else what to do. While the page is being written, the rows are kept for that. */
export async function checkRows(
  key: string,
  rows: readonly string[],
  part: (typeof parts)[number] = 'kinds',
): Promise<string | undefined> {
  process.stdout.write(`${rows.join('\n')}\n`);
  if (rows.some((row) => row.includes(NOT_TRIED))) return `Not every kind of file was tried with ${key}.`;
  const rowsFolder = inject('compatibilityRowsFolder');
  if (rowsFolder !== undefined) {
    await writeFile(join(rowsFolder, `${key}.${part}`), rows.join('\n'));
    return undefined;
  }
  const present = await readFile(page, 'utf8');
  const missing = rows.filter((row) => !present.includes(row));
  if (missing.length > 0) return `docs/compatibility.md does not say:\n${missing.join('\n')}\n${HOW_TO_WRITE}`;
  const isEveryProgramDriven = (await listInstalled(process.env)).length === keysUnderTest.length;
  if (!isEveryProgramDriven || !haveAgentsChanged()) return undefined;
  return `docs/compatibility.md was made with other rows of the catalog or other versions. ${HOW_TO_WRITE}`;
}

/** Writes the page from the rows of a run: the whole table if every program was driven, else the rows of those that were. */
export async function writePage(rowsFolder: string): Promise<void> {
  const kept = new Set(await readdir(rowsFolder));
  const names = keysUnderTest.flatMap((key) => parts.map((part) => `${key}.${part}`));
  const found = names.filter((name) => kept.has(name));
  const read = async (name: string) => (await readFile(join(rowsFolder, name), 'utf8')).split('\n');
  const rows = (await Promise.all(found.map(read))).flat();
  const present = await readFile(page, 'utf8');
  const isWhole = found.length === names.length;
  await writeFile(page, isWhole ? formatTables(present, rows) : replaceRows(present, rows));
}
