import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RunOptions } from '../context.ts';
import type { CaseResult } from '../suite.ts';
import { bundleEntry } from './bundle-entry.ts';

const run = promisify(execFile);
const ofDeno = createRequire(createRequire(import.meta.url).resolve('deno/package.json'));

export const runInNode = (folder: string, options: RunOptions): Promise<CaseResult[]> =>
  runProgram(folder, process.execPath, [], options);

export const runInDeno = (folder: string, options: RunOptions): Promise<CaseResult[]> => {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  const program = ofDeno.resolve(`@deno/linux-${architecture}-glibc/deno`);
  return runProgram(folder, program, ['run', '--no-config', '--no-lock', '--allow-net'], options);
};

async function runProgram(folder: string, program: string, args: string[], options: RunOptions): Promise<CaseResult[]> {
  const path = join(folder, 'suite.mjs');
  await writeFile(path, await bundleEntry('program'));
  const env = { PATH: process.env.PATH, HOME: folder, DENO_DIR: join(folder, 'deno'), NO_COLOR: '1' };
  const { stdout } = await run(program, [...args, path, JSON.stringify(options)], { env, maxBuffer: 10_000_000 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]');
}
