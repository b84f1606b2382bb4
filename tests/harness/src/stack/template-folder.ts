import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startStandalone } from '@attache/standalone';
import { testConfig } from './test-config.ts';

const run = promisify(execFile);
const migrations = fileURLToPath(new URL('../../../../packages/database/migrations', import.meta.url));

async function hashMigrations(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrations)).filter((file) => file.endsWith('.sql')).sort()) {
    hash.update(await readFile(join(migrations, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

// A first start takes seconds: it is done once per set of migrations, and its data folder is copied for every test.
async function makeTemplate(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const stack = await startStandalone(testConfig(draft));
  await stack.stop();
  await rename(draft, path).catch(async (error: NodeJS.ErrnoException) => {
    // Another test process was first.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function findTemplate(): Promise<string> {
  const { ATTACHE_TEST_BUNDLE: bundle } = process.env;
  if (bundle && (await exists(probedTemplateIn(bundle)))) return probedTemplateIn(bundle);
  const template = join(tmpdir(), `attache-template-${process.getuid?.() ?? 0}-${await hashMigrations()}`);
  if (!(await exists(template))) await makeTemplate(template);
  return template;
}

/** The folder where a test run keeps a data folder whose stack has asked all programs for their abilities. */
export const probedTemplateIn = (bundle: string): string => join(bundle, 'template');

/** A new data folder of a stack that was started once: its database, its key and its signing keys. Remove it afterwards. */
export async function copyTemplateFolder(): Promise<string> {
  const template = await findTemplate();
  const folder = await mkdtemp(join(tmpdir(), 'attache-test-'));
  // Ten times as fast as `fs.cp` on a database of a thousand files.
  await run('cp', ['-a', '--reflink=auto', `${template}/.`, folder]);
  return folder;
}
