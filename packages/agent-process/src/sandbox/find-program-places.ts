import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { resolveProgram } from '../resolve-program.ts';
import { findPythonTrees } from './python/find-python-trees.ts';

/** The files that must be visible inside so that a command runs, and the path by which its program is started there. */
export type ProgramPlaces = {
  program: string;
  /** Shown read-only at their own place. */
  trees: readonly string[];
  /** Shown read-only; `place` may be a link outside. */
  files: readonly { source: string; place: string }[];
  /** Parts of the trees that are the platform's alone: none of them is shown. */
  covered: readonly string[];
};

export type FoundPlaces = ({ status: 'found' } & ProgramPlaces) | { status: 'refused'; reason: string };

type Place = { status: 'place'; trees: string[]; files: { source: string; place: string }[] };
type Refused = { status: 'refused'; reason: string };

const SHEBANG_BYTES = 256;
const ALREADY_THERE = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
const SYSTEM_ROOTS = new Set(
  ['', 'boot', 'dev', 'etc', 'home', 'media', 'mnt', 'opt', 'proc', 'root', 'run', 'srv', 'sys', 'tmp', 'var'].map(
    (name) => `/${name}`,
  ),
);

/**
 * Finds the files of a command: its program, the scripts that its fixed arguments name by absolute paths, and what interprets them. Of a file
 * of an npm package the tree is the outermost folder that holds its `node_modules`; of Python, its environment and its installation.
 */
export async function findProgramPlaces(
  [program = '', ...args]: readonly string[],
  searchPath: string,
  privateFolders: readonly string[],
): Promise<FoundPlaces> {
  const trees = new Set<string>();
  const files: { source: string; place: string }[] = [];
  for (const file of [program, ...args.filter((arg) => path.isAbsolute(arg))]) {
    const found = await findFilePlaces(file, searchPath);
    if (found.status === 'refused') return found;
    for (const tree of found.trees) trees.add(tree);
    files.push(...found.files);
  }
  const shown = await Promise.all([...trees].map(async (tree) => ({ tree, real: await realpath(tree) })));
  const refused = shown
    .flatMap(({ tree, real }) => [refuseTree(tree, privateFolders), refuseTree(real, privateFolders)])
    .find(Boolean);
  if (refused) return { status: 'refused', reason: refused };
  const isShown = (place: string) => isThere(place) || [...trees].some((tree) => place.startsWith(`${tree}/`));
  return {
    status: 'found',
    program: await pathInside(program),
    trees: [...trees],
    files: files.filter(({ place }) => !isShown(place)),
    covered: [...new Set(shown.flatMap((each) => coverIn(each, privateFolders)))],
  };
}

/** The places of private folders in a tree, which may be shown by a link to it. */
const coverIn = ({ tree, real }: { tree: string; real: string }, privateFolders: readonly string[]): string[] =>
  privateFolders
    .filter((folder) => folder.startsWith(`${real}/`))
    .map((folder) => path.join(tree, path.relative(real, folder)));

/**
 * A program is started by its real path, since a link to it may not be there; a program in `/usr` may depend on the name by which it was called, and keeps it,
 * as does a Python that finds its environment by that name.
 */
async function pathInside(program: string): Promise<string> {
  const real = await realpath(program);
  if (isThere(real) && isThere(program)) return program;
  return (await findPythonTrees(program, isThere)).length > 0 ? program : real;
}

async function findFilePlaces(file: string, searchPath: string): Promise<Place | Refused> {
  const real = await realpath(file).catch(() => undefined);
  const isFile = real !== undefined && (await stat(real)).isFile();
  if (!isFile) return { status: 'place', trees: [], files: [] };
  const trees = await findTrees(real, file);
  const files = [real, file].map((place) => ({ source: real, place }));
  const interpreter = await findInterpreter(real, searchPath);
  if (interpreter === undefined) return { status: 'place', trees, files };
  const { name, found } = interpreter;
  if (found === undefined) return { status: 'refused', reason: `${real} is run by ${name}, which was not found` };
  const source = await realpath(found);
  trees.push(...(await findPythonTrees(found, isThere)));
  return { status: 'place', trees, files: [...files, ...[source, found].map((place) => ({ source, place }))] };
}

async function findTrees(real: string, file: string): Promise<string[]> {
  const tree = isThere(real) ? undefined : await findTree(real);
  const ofPython = await Promise.all([...new Set([real, file])].map((each) => findPythonTrees(each, isThere)));
  return [...(tree === undefined ? [] : [tree]), ...ofPython.flat()];
}

const isThere = (file: string): boolean => ALREADY_THERE.some((folder) => file.startsWith(`${folder}/`));

/** The outermost folder above a file that holds a `node_modules`. */
async function findTree(file: string): Promise<string | undefined> {
  let tree: string | undefined;
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (await isReadable(path.join(folder, 'node_modules'))) tree = folder;
    if (folder === path.dirname(folder)) return tree;
  }
}

async function isReadable(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

type Interpreter = { name: string; found: string | undefined };

/** Finds the interpreter that the first line of a script names; undefined for a file that the kernel runs by itself. */
async function findInterpreter(file: string, searchPath: string): Promise<Interpreter | undefined> {
  const line = await readFirstLine(file);
  if (!line.startsWith('#!')) return undefined;
  const [first = '', ...rest] = line.slice(2).trim().split(/\s+/);
  const name = path.basename(first) === 'env' ? (rest.find((word) => !word.startsWith('-')) ?? first) : first;
  return { name, found: await resolveProgram(name, searchPath) };
}

async function readFirstLine(file: string): Promise<string> {
  await using handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(SHEBANG_BYTES) });
  return buffer.subarray(0, bytesRead).toString('latin1').split('\n', 1)[0] ?? '';
}

/** Why a folder may not be shown: it would show the whole machine, or is in a folder that is the platform's alone. */
function refuseTree(tree: string, privateFolders: readonly string[]): string | undefined {
  const isRoot = SYSTEM_ROOTS.has(tree) || tree === homedir() || path.dirname(tree) === '/home';
  if (isRoot)
    return `its program's tree would be ${tree}, which is a root of the system: install it in a folder of its own`;
  const holder = privateFolders.find((folder) => holds(folder, tree));
  if (holder === undefined) return undefined;
  return `its program's tree ${tree} lies in ${holder}: keep the platform's data elsewhere`;
}

/** The first of the folders that contains the place, or that the place contains. */
export function findOverlap(place: string, folders: readonly string[]): string | undefined {
  return folders.find((folder) => holds(folder, place) || holds(place, folder));
}

const holds = (outer: string, inner: string): boolean =>
  outer === '/' || inner === outer || inner.startsWith(`${outer}/`);
