import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeFlags } from '@attache/infra/native/processes/node-flags';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('__fixtures__/pass-buffers.mjs', import.meta.url));
const flags = new URL('set-heap-flags.ts', import.meta.url).href;

async function countMajors(nodeOptions: readonly string[], args: readonly string[] = []): Promise<number> {
  const { stdout } = await run(process.execPath, [...nodeOptions, program, ...args]);
  return (JSON.parse(stdout) as { majorCount: number }).majorCount;
}

it.each([
  ['a service as the images start it', nodeFlags],
  ['a program without options', []],
])('lets %s pass a gibibyte of buffers without marking its heap for each 64 MiB of them', async (_, options) => {
  expect(await countMajors(options, [flags])).toBeLessThanOrEqual(3);
});

it('sees the heap marked again and again where no flag is set, so that the test above can fail', async () => {
  expect(await countMajors(nodeFlags)).toBeGreaterThan(6);
});
