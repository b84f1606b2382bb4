import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { listSourceFolders, repositoryRoot } from './source-files.ts';

/** One import that a rule forbids. */
export type ImportViolation = { rule: string; severity: string; from: string; to: string };

export type CruiseResult = {
  /** Code files that were read, relative to the cruised root, sorted. */
  modules: string[];
  violations: ImportViolation[];
};

/** The report of dependency-cruiser on a workspace, as far as it is read here. */
export type CruiseReport = {
  modules: {
    source: string;
    coreModule?: boolean;
    couldNotResolve?: boolean;
    dependencies: { resolved: string; dynamic: boolean; dependencyTypes: string[] }[];
  }[];
  summary: { violations: { from: string; to: string; rule: { name: string; severity: string } }[] };
};

/** The file of the import rules. */
export const rulesFile = join(repositoryRoot, '.dependency-cruiser.cjs');

const program = join(repositoryRoot, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');

/** Runs the repository's import rules over the workspace in `root`. */
export async function cruise(root: string): Promise<CruiseResult> {
  return judgeImports(await readCruiseReport(root));
}

/** Judges the imports of a workspace by the import rules. */
export function judgeImports(report: CruiseReport): CruiseResult {
  return {
    modules: report.modules
      .filter(isCodeFile)
      .map((module) => module.source)
      .sort(),
    violations: report.summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      severity: rule.severity,
      from,
      to,
    })),
  };
}

/** Reads every import of the workspace in `root`. */
export async function readCruiseReport(root: string): Promise<CruiseReport> {
  const args = [program, '--config', rulesFile, '--output-type', 'json', ...listSourceFolders(root)];
  return JSON.parse(await runNode(args, root));
}

function isCodeFile(module: CruiseReport['modules'][number]): boolean {
  return !module.source.includes('node_modules/') && !module.coreModule && !module.couldNotResolve;
}

function runNode(args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Its exit code is the number of errors found; only a missing report is a failure of the run.
    execFile(process.execPath, args, { cwd, maxBuffer: 256 * 2 ** 20 }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(`dependency-cruiser gave no report: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}
