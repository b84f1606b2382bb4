import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { PackedArchive } from '../pack/pack-published.ts';

const run = promisify(execFile);

export type PublishOptions = {
  registry: string;
  isDryRun: boolean;
  /** The environment of npm, whose configuration holds the credential of the registry. */
  environment: NodeJS.ProcessEnv;
  onProgress(line: string): void;
};

/**
 * Publishes archives in the order given. Those that the registry has with the same bytes are passed over, so that a release that broke off can be
 * run again. Throws before anything is published if the registry has all of them, or another archive under the name and version of one.
 */
export async function publishArchives(archives: readonly PackedArchive[], options: PublishOptions): Promise<void> {
  const { onProgress, isDryRun } = options;
  const missing: PackedArchive[] = [];
  for (const packed of archives) {
    const published = await readIntegrity(packed, options);
    if (published === undefined) missing.push(packed);
    else if (published !== (await hashArchive(packed.archive)))
      throw new Error(
        `${packed.name}@${packed.version} was published with other contents: raise the version of all packages.`,
      );
  }
  if (missing.length === 0) throw new Error('All packages of this version are published: raise the version.');
  for (const packed of archives) {
    const title = `${packed.name}@${packed.version}`;
    if (!missing.includes(packed)) onProgress(`${title} is there already`);
    else {
      await publish(packed, options);
      onProgress(`${title} ${isDryRun ? 'would be published' : 'is published'}`);
    }
  }
}

async function publish({ archive }: PackedArchive, { registry, isDryRun, environment }: PublishOptions): Promise<void> {
  const args = ['publish', archive, '--registry', registry, '--access', 'public', '--ignore-scripts'];
  await run('npm', [...args, ...(isDryRun ? ['--dry-run'] : [])], { env: environment });
}

/** The digest of what a registry has under a name and version; undefined if it has nothing. */
async function readIntegrity(
  { name, version }: PackedArchive,
  { registry, environment }: PublishOptions,
): Promise<string | undefined> {
  const args = ['view', `${name}@${version}`, 'dist.integrity', '--json', '--prefer-online', '--registry', registry];
  try {
    const { stdout } = await run('npm', args, { env: environment });
    return stdout.trim() === '' ? undefined : JSON.parse(stdout);
  } catch (error) {
    if (/\bE404\b/.test((error as { stderr?: string }).stderr ?? '')) return undefined;
    throw error;
  }
}

const hashArchive = async (path: string): Promise<string> =>
  `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`;
