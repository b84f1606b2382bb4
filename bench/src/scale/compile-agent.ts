import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const source = fileURLToPath(new URL('./tiny-agent.c', import.meta.url));

/** Compiles the smallest agent there is, of less than a megabyte of memory; answers its path. */
export async function compileAgent(folder: string): Promise<string> {
  const program = join(folder, 'tiny-agent');
  try {
    await run('cc', ['-O2', '-static', '-o', program, source]);
  } catch (error) {
    throw new Error('The agent of this bench is a C program: install a compiler (cc) with its static C library.', {
      cause: error,
    });
  }
  return program;
}
