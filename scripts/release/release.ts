import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listPublished } from '../pack/list-published.ts';
import { packPublished } from '../pack/pack-published.ts';
import { checkRelease } from './check-release.ts';
import { publishArchives } from './publish-archives.ts';

// `npm run release -- --registry URL`: packs and publishes every package that is not private, with the credential that npm's configuration has for the registry.
//   --dry-run   does everything but publish

const root = fileURLToPath(new URL('../..', import.meta.url));
const print = (line: string) => void process.stdout.write(`${line}\n`);

process.exitCode = await release().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  return 1;
});

async function release(): Promise<number> {
  const options = { registry: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } as const;
  const { registry, 'dry-run': isDryRun } = parseArgs({ options }).values;
  if (registry === undefined) throw new Error('Name the registry: npm run release -- --registry URL');
  const reasons = checkRelease({
    status: execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    versions: listPublished(root).map(({ manifest }) => manifest.version),
  });
  for (const reason of reasons) print(reason);
  if (reasons.length > 0) return 1;
  const out = mkdtempSync(join(tmpdir(), 'attache-release-'));
  try {
    const archives = await packPublished(root, out);
    await publishArchives(archives, { registry, isDryRun, environment: process.env, onProgress: print });
    return 0;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
