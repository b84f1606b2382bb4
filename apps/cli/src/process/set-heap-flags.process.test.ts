import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeFlags } from '@attache/infra/native/processes/node-flags';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const passBuffers = new URL('__fixtures__/pass-buffers.mjs', import.meta.url).href;
const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** How often Node, started as the images start it, marks its heap for a gibibyte of buffers after it has run this. */
async function countMajors(...args: readonly string[]): Promise<number> {
  const { stdout } = await run(process.execPath, [...nodeFlags, '--import', passBuffers, ...args]);
  return (JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as { majorCount: number }).majorCount;
}

it('has the program pass a gibibyte of buffers without marking its heap for each 64 MiB of them', async () => {
  expect(await countMajors(program, '--version')).toBeLessThanOrEqual(3);
});

it('sees the heap marked again and again without the program, so that the test above can fail', async () => {
  expect(await countMajors('--eval', '')).toBeGreaterThan(6);
});
