import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import {
  type BoxRecipe,
  boxFolder,
  CHECKSUMS_FILE,
  composeChecksums,
  listCompiledFiles,
  PROGRAM_NAME,
  readBoxRecipe,
} from './box-recipe.ts';
import { ensureZig } from './ensure-zig.ts';

// Builds the box for every architecture, and writes programs and checksums into its folder.
//   --check   changes nothing, and fails unless the build gives the bytes that are there

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const run = promisify(execFile);

const cacheFolder = cacheFolderOf(process.env);
const outFolder = await mkdtemp(join(tmpdir(), 'attache-box-'));
try {
  await buildAll(await readBoxRecipe());
  const checksums = await composeChecksums(outFolder);
  if (values.check) await compareWithCheckedIn(checksums);
  else await keepPrograms(checksums);
} finally {
  await rm(outFolder, { recursive: true });
}

async function buildAll({ ziglang, flags, targets }: BoxRecipe): Promise<void> {
  const zig = await ensureZig(cacheFolder, ziglang);
  // A check takes over nothing of an earlier build.
  const zigCache = values.check ? join(outFolder, 'cache') : join(cacheFolder, 'zig');
  const env = { ...process.env, ZIG_GLOBAL_CACHE_DIR: zigCache, ZIG_LOCAL_CACHE_DIR: zigCache };
  const sources = await listCompiledFiles();
  for (const [arch, target] of Object.entries(targets)) {
    const program = join(outFolder, arch, PROGRAM_NAME);
    await mkdir(dirname(program));
    await run(zig, ['cc', '-target', target, ...flags, '-o', program, ...sources], { cwd: boxFolder, env });
  }
}

async function compareWithCheckedIn(checksums: string): Promise<void> {
  const isSame = checksums === (await readFile(join(boxFolder, CHECKSUMS_FILE), 'utf8'));
  process.stdout.write(`${checksums}${isSame ? 'the same bytes as checked in' : 'not what is checked in'}\n`);
  if (!isSame) process.exitCode = 1;
}

async function keepPrograms(checksums: string): Promise<void> {
  for (const arch of Object.keys((await readBoxRecipe()).targets)) {
    const program = join(boxFolder, arch, PROGRAM_NAME);
    await mkdir(dirname(program), { recursive: true });
    await copyFile(join(outFolder, arch, PROGRAM_NAME), program);
    await chmod(program, 0o755);
  }
  await writeFile(join(boxFolder, CHECKSUMS_FILE), checksums);
  process.stdout.write(checksums);
}
