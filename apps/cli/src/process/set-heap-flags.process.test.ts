import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeFlags } from '@attache/infra/native/processes/node-flags';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** How often Node, started as the images start it, marks its heap for the buffers of a fixture after it has run this. */
async function countMajors(fixture: string, ...args: readonly string[]): Promise<number> {
  const { href } = new URL(`__fixtures__/${fixture}`, import.meta.url);
  const { stdout } = await run(process.execPath, [...nodeFlags, '--import', href, ...args]);
  return (JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as { majorCount: number }).majorCount;
}

describe('the program', () => {
  it('passes a gibibyte of buffers without marking its heap for each 64 MiB of them', async () => {
    expect(await countMajors('pass-buffers.mjs', program, '--version')).toBeLessThanOrEqual(3);
  });

  it('holds 8 MiB of buffers twenty times without marking its heap for every other of them', async () => {
    expect(await countMajors('promote-buffers.mjs', program, '--version')).toBeLessThanOrEqual(4);
  });
});

describe('without the program the heap is marked again and again, so that the tests above can fail:', () => {
  it.each(['pass-buffers.mjs', 'promote-buffers.mjs'])('%s', async (fixture) => {
    expect(await countMajors(fixture, '--eval', '')).toBeGreaterThan(6);
  });
});
