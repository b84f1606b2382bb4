import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLockFile } from '@attache/infra/native/build/build-lock';
import type { BoxRecipe } from './box-recipe.ts';

const run = promisify(execFile);

/** The pinned Zig below `cacheFolder`, installed there by pip the first time. A wheel with another digest is refused. */
export async function ensureZig(cacheFolder: string, { version, wheels }: BoxRecipe['ziglang']): Promise<string> {
  const folder = join(cacheFolder, `ziglang-${version}`);
  const program = join(folder, 'ziglang/zig');
  await mkdir(cacheFolder, { recursive: true });
  await withLockFile({
    lockFile: `${folder}.lock`,
    onWait: (holder) => process.stdout.write(`waiting for process ${holder}, which installs Zig …\n`),
    async task() {
      if (existsSync(program)) return;
      const draft = `${folder}.draft`;
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft);
      const requirements = join(draft, 'requirements.txt');
      await writeFile(
        requirements,
        [`ziglang==${version}`, ...wheels.map((hash) => `--hash=sha256:${hash}`)].join(' '),
      );
      const choice = ['--only-binary=:all:', '--no-deps', '--require-hashes'];
      await run('python3', ['-m', 'pip', 'install', ...choice, '--target', draft, '--requirement', requirements]);
      await rename(draft, folder);
    },
  });
  return program;
}
