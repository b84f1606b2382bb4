import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Servers that are built from Go modules where the machine has none. */
export type ServerName = 'nats-server' | 'minio' | 'versitygw';

/** Variables of the machine, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The path of a program, or why there is none and what to do about it. */
export type FoundProgram = { program: string } | { missing: string };

/** What is built for a server: the package, its version, and the folder of the Go module that pins it with all it needs. */
export type ServerSource = { goPackage: string; version: string; moduleFolder: string };

/** Rough length of a build on two cores, to tell who waits. */
export const buildMinutes: Readonly<Record<ServerName, string>> = {
  'nats-server': 'about half a minute',
  minio: 'about two minutes',
  versitygw: 'about a minute',
};

/** Reads the package and version from the server's go.mod, so that a new version there is built by itself. */
export async function readServerSource(name: ServerName): Promise<ServerSource> {
  const moduleFolder = fileURLToPath(new URL(`../${name}`, import.meta.url));
  return { ...parseServerSource(await readFile(`${moduleFolder}/go.mod`, 'utf8')), moduleFolder };
}

/** The package of the `tool` line and the version of the module that holds it. */
export function parseServerSource(goMod: string): { goPackage: string; version: string } {
  const goPackage = /^tool (\S+)$/m.exec(goMod)?.[1];
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
