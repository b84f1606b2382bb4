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
  const { stdout } = await run(process.execPath, [...nodeFlags, '--import', href, ...args]);
  return (JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as { majorCount: number }).majorCount;
}

// A busy machine marks less often, and so it is compared with itself.
it.each([
  ['passes a gibibyte of buffers', 'pass-buffers.mjs', 3 / 4],
  ['holds 8 MiB of buffers sixty times', 'promote-buffers.mjs', 1 / 2],
])('the program %s with fewer markings of the heap than Node on its own', async (_what, fixture, share) => {
  const ofNode = await countMajors(fixture, '--eval', '');
  expect(ofNode).toBeGreaterThan(6);
  expect(await countMajors(fixture, program, '--version')).toBeLessThan(ofNode * share);
});
