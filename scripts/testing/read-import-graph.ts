import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ImportGraph, nameStarted } from './reach.ts';

const FOLDERS = ['packages', 'services', 'apps', 'infra', 'tests', 'bench', 'scripts'];

type CruiseReport = { modules: { source: string; dependencies: { resolved: string }[] }[] };

/** Reads which file of the repository names which other one. */
export async function readImportGraph(root: string): Promise<ImportGraph> {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const rules = join(root, '.dependency-cruiser.cjs');
  const args = [program, '--config', rules, '--output-type', 'json', ...FOLDERS];
  const report: CruiseReport = JSON.parse(await runNode(args, root));
  const locate = (name: string, from: string) => createRequire(pathToFileURL(from)).resolve(name);
  const ours = report.modules.filter(({ source }) => !source.includes('node_modules/') && !source.includes(':'));
  return new Map(
    ours.map(({ source, dependencies }) => [
      source,
      [...dependencies.map(({ resolved }) => resolved), ...nameStarted(root, source, locate)],
    ]),
  );
}

function runNode(args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Its exit code is the number of violations; only a missing report is a failure of the run.
    execFile(process.execPath, args, { cwd, maxBuffer: 256 * 2 ** 20 }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(`dependency-cruiser gave no report: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}
