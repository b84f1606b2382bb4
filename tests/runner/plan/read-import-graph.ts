import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readCruiseReport } from '../../architecture/source/cruise.ts';
import { type ImportGraph, nameStarted } from './reach.ts';

/** Reads which file of the repository names which other one. */
export async function readImportGraph(root: string): Promise<ImportGraph> {
  const { modules } = await readCruiseReport(root);
  const locate = (name: string, from: string) => createRequire(pathToFileURL(from)).resolve(name);
  const ours = modules.filter(({ source }) => !source.includes('node_modules/') && !source.includes(':'));
  return new Map(
    ours.map(({ source, dependencies }) => [
      source,
      [...dependencies.map(({ resolved }) => resolved), ...nameStarted(root, source, locate)],
    ]),
  );
}
