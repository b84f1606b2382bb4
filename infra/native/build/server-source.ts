import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Servers that are built from Go modules if the machine has none, MinIO's client, which makes its keys, and the program that compares contracts. */
export type ServerName = 'nats-server' | 'minio' | 'mc' | 'versitygw' | 'oasdiff';

/** Variables of the machine, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The path of a program, or why there is none and what to do about it. */
export type FoundProgram = { program: string } | { missing: string };

/** The source of a server: the package, its version, and the folder of the Go module that pins it with all its dependencies. */
export type ServerSource = { goPackage: string; version: string; moduleFolder: string };

/** Rough length of a build on two cores, for whoever waits. */
export const buildMinutes: Readonly<Record<ServerName, string>> = {
  'nats-server': 'about half a minute',
  minio: 'about two minutes',
  mc: 'about a minute',
  versitygw: 'about a minute',
  oasdiff: 'about a minute',
};

/** Reads the package and version from the server's go.mod, so that a new version there is built by itself. */
export async function readServerSource(name: ServerName): Promise<ServerSource> {
  // The client is one with its server: that is made with parts of it.
  const moduleFolder = fileURLToPath(new URL(`../${name === 'mc' ? 'minio' : name}`, import.meta.url));
  return { ...parseServerSource(await readFile(`${moduleFolder}/go.mod`, 'utf8'), name), moduleFolder };
}

/** The package of the `tool` line, of several the one of this name, and the version of the module that holds it. */
export function parseServerSource(goMod: string, name: string): { goPackage: string; version: string } {
  const tools = [...goMod.matchAll(/^(?:tool|\t) ?(\S+)$/gm)]
    .map(([, tool = '']) => tool)
    .filter((tool) => tool !== '(');
  const goPackage = tools.length > 1 ? tools.find((tool) => tool.endsWith(`/${name}`)) : tools[0];
  if (goPackage === undefined) throw new Error('the go.mod has no tool line');
  const required = [...goMod.matchAll(/^(?:require)?\s+(\S+) (v\S+)/gm)];
  const module = required.find(([, path]) => goPackage === path || goPackage.startsWith(`${path}/`));
  if (module?.[2] === undefined) throw new Error(`the go.mod requires no module of ${goPackage}`);
  return { goPackage, version: module[2] };
}

/** Whether a NATS server of this version keeps all it acknowledged: 2.11.16 or newer in the 2.11 line, else 2.12.7 or newer. */
export function isNatsVersionAllowed(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major !== 2) return major > 2;
  if (minor === 11) return patch >= 16;
  return minor > 12 || (minor === 12 && patch >= 7);
}
