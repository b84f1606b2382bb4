import { dirname, posix } from 'node:path';

/** As many modules as a reader takes in at a glance. An index is none. */
export const MAX_MODULES = 16;

/** Folders that may hold more, and why. */
export const largeFolders: readonly { folder: string; why: string }[] = [];

/** Folders next to each other that know each other, and why. */
export const knownCircles: readonly { folders: readonly [string, string]; why: string }[] = [];

export type Module = { path: string; imports: readonly string[] };

export type FolderSize = { folder: string; modules: number };

export function findLargeFolders(paths: readonly string[]): FolderSize[] {
  const known = new Set(paths);
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (posix.basename(path) === 'index.ts' || known.has(subjectOf(path) ?? '')) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, modules]) => modules > MAX_MODULES)
    .map(([folder, modules]) => ({ folder, modules }))
    .sort((a, b) => a.folder.localeCompare(b.folder));
}

/** The subject of a test, if it is next to the test: such a test is no module of its own. All other tests are. */
function subjectOf(path: string): string | undefined {
  const subject = path.replace(/(\.(int|process|long))?\.(test|spec|contract)\.ts$/, '.ts');
  return subject === path ? undefined : subject;
}

/**
 * Pairs of folders of one parent that reach each other by imports of their modules. A module in the parent itself composes its folders or is
 * shared by them, and is no part of a circle.
 */
export function findCircles(modules: readonly Module[]): [string, string][] {
  const edges = new Map<string, Set<string>>();
  for (const { path, imports } of modules) {
    for (const target of imports) {
      const [from, to] = splitSiblings(dirname(path), dirname(target));
      if (from !== undefined && to !== undefined) edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  }
  const circles = new Map<string, [string, string]>();
  for (const [from, targets] of edges) {
    for (const to of targets) {
      const [first = '', second = ''] = [from, to].toSorted();
      if (reaches(edges, to, from)) circles.set(`${first} ${second}`, [first, second]);
    }
  }
  return [...circles.values()].sort(([a], [b]) => a.localeCompare(b));
}

/** The folders below the last common one in which two folders lie; none if one holds the other. */
function splitSiblings(from: string, to: string): [string, string] | [undefined, undefined] {
  const [a, b] = [from.split('/'), to.split('/')];
  let common = 0;
  while (common < a.length && a[common] === b[common]) common += 1;
  const least = /^(packages|services|apps)\//.test(from) ? 3 : 1;
  if (common < least || common === a.length || common === b.length) return [undefined, undefined];
  return [a.slice(0, common + 1).join('/'), b.slice(0, common + 1).join('/')];
}

function reaches(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const left = [from];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    if (folder === to) return true;
    if (seen.has(folder)) continue;
    seen.add(folder);
    left.push(...(edges.get(folder) ?? []));
  }
  return false;
}
