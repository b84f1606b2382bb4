import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeFlags } from '@attache/infra/native/processes/node-flags';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** How often Node, started as the images start it, marks its heap for the buffers of a fixture after it has run this. */
async function countMajors(fixture: string, ...args: readonly string[]): Promise<number> {
  const { href } = new URL(`__fixtures__/${fixture}`, import.meta.url);
  const { stdout } = await run(process.execPath, [...nodeFlags, '--expose-gc', '--import', href, ...args]);
  return (JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as { majorCount: number }).majorCount;
}

it('has the program pass a gibibyte of buffers without marking its heap for each 64 MiB of them', async () => {
  expect(await countMajors('pass-buffers.mjs', program, '--version')).toBeLessThanOrEqual(3);
});

it('has the program hold 8 MiB of buffers sixty times without marking its heap for each fourth of them', async () => {
  expect(await countMajors('promote-buffers.mjs', program, '--version')).toBeLessThanOrEqual(8);
});

it.each([
  ['pass-buffers.mjs', 6],
  ['promote-buffers.mjs', 8],
])(
  'sees the heap marked again and again without the program, so that the tests above can fail: %s',
  async (fixture, count) => {
    expect(await countMajors(fixture, '--eval', '')).toBeGreaterThan(count);
  },
);
