import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** For each file of the repository the files that it names: by import, or by URL as a program that it starts. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Everything that was changed since a commit, committed or not, relative to the repository. */
export function listChanges(root: string, commit: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const changed = git('diff', '--name-only', '--no-renames', commit, '--');
  const added = git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...changed, ...added])].filter((path) => path !== '').sort();
}

// Files that change everything, and files to which no import leads: a change of them runs everything.
const EVERYTHING =
  /^(package\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|vitest\.config\.ts|tsconfig\.json|tests\/runner\/)/;
const BY_FOLDER = /\.(sql|json|md|txt|yml|yaml|heic|png|jpg|pdf|css)$/;

// Files that the run calls before tests on real servers, which import nothing of them.
const SERVER_SET_UP = ['infra/test-servers.ts', 'infra/provide-starts.ts'];
const IS_TEST = /\.(test|spec)\.ts$/;
const ON_SERVERS = /\.int\.test\.ts$/;

/** The tests that a change can reach. `undefined`: all of them. */
export function findReachedTests(graph: ImportGraph, changes: readonly string[]): string[] | undefined {
  if (changes.some((path) => EVERYTHING.test(path))) return undefined;
  const users = invert(graph);
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const user of users.get(path) ?? []) visit(user);
  };
  for (const path of changes) for (const start of startsOf(path, graph)) visit(start);
  if (SERVER_SET_UP.some((path) => reached.has(path))) {
    for (const path of graph.keys()) if (ON_SERVERS.test(path)) reached.add(path);
  }
  return [...reached].filter((path) => IS_TEST.test(path)).sort();
}

// A file that is read at run time is known to the code next to it and above it.
function startsOf(path: string, graph: ImportGraph): string[] {
  if (!BY_FOLDER.test(path)) return [path];
  const folder = dirname(path).replace(/\/(__fixtures__|migrations|samples)(\/.*)?$/, '');
  return folder === '.' ? [] : [...graph.keys()].filter((file) => file.startsWith(`${folder}/`));
}

function invert(graph: ImportGraph): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [file, named] of graph) for (const each of named) users.set(each, [...(users.get(each) ?? []), file]);
  return users;
}

const NAMED_BY_URL = /new URL\(\s*'(\.[^']*\.ts)',\s*import\.meta\.url,?\s*\)/g;
const NAMED_BY_PACKAGE = /(?:import\.meta|require)\.resolve\(\s*'(@attache\/[^']+)',?\s*\)/g;

/** Adds to the imports what a file names otherwise: a program by its URL, or by the package that exports it. */
export function nameStarted(root: string, file: string, locate: (name: string, from: string) => string): string[] {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  const code = readFileSync(path, 'utf8');
  const base = new URL(`file://${path}`);
  const byUrl = [...code.matchAll(NAMED_BY_URL)].map(([, target = '']) => fileURLToPath(new URL(target, base)));
  const byPackage = [...code.matchAll(NAMED_BY_PACKAGE)].map(([, name = '']) => locate(name, path));
  return [...byUrl, ...byPackage].map((target) => relative(root, target));
}
