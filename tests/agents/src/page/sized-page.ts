import type { InstalledRuntime } from '../agents-stack.ts';
import { sizedFiles } from '../sizes/sized-files.ts';
import { nameProgram } from './page-table.ts';

/** Words of each cell, by `<row> <column>`. */
export type SizeMatrix = ReadonlyMap<string, string>;

const NOT_TRIED = 'not tried';

/** The results of one program, as rows of the page's tables of sizes. */
export function composeSizeRows(runtime: InstalledRuntime, matrix: SizeMatrix): string[] {
  return [...new Set(sizedFiles.map(({ row }) => row))].map((row) => {
    const files = sizedFiles.filter((file) => file.row === row);
    const cells = files.map(({ column }) => matrix.get(`${row} ${column}`) ?? NOT_TRIED);
    return `| ${nameProgram(runtime)} | ${row} | ${cells.join(' | ')} |`;
  });
}
