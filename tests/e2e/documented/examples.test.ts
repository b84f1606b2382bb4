// hosted: long – an example is a client like any other
// embedded: long – it runs the programs of examples/
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

const run = promisify(execFile);
const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));
const searchPath = process.env.PATH ?? '';

const languages = [
  { example: 'send-file.mjs', command: process.execPath, needs: [] },
  { example: 'send_file.py', command: 'python3', needs: ['python3'] },
  { example: 'send-file.sh', command: 'sh', needs: ['curl', 'jq'] },
];

/** Programs of other languages that this machine lacks. */
async function findMissing(needs: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const program of needs)
    await run('sh', ['-c', `command -v ${program}`], { env: { PATH: searchPath } }).catch(() => missing.push(program));
  return missing;
}

const runnable = await Promise.all(
  languages.map(async (language) => ({ ...language, missing: await findMissing(language.needs) })),
);

let stack: Stack;
let folder: string;
beforeAll(async () => {
  stack = await openStack();
  folder = await mkdtemp(join(tmpdir(), 'attache-examples-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await stack.stop();
});

describe('an example', () => {
  for (const { example, command, missing } of runnable) {
    const runExample = (file: string, key = stack.api.apiKey) =>
      run(command, [join(examples, example), file], {
        env: { PATH: searchPath, HOME: folder, ATTACHE_URL: stack.api.url, ATTACHE_API_KEY: key },
        timeout: 120_000,
      });
    const title = missing.length === 0 ? example : `${example}: it needs ${missing.join(' and ')}`;

    it.skipIf(missing.length > 0)(`sends a file and prints the answer, and what refuses it: ${title}`, async () => {
      const file = join(folder, `a picture ${example}.png`);
      await writeFile(file, makePng(64, 48));
      const { stdout } = await runExample(file);
      expect(stdout).toContain('64');
      const refused = await runExample(file, 'atk_unknown').catch((error: unknown) => error);
      const { stdout: said = '', stderr = '' } = refused as { stdout?: string; stderr?: string };
      expect(`${said}${stderr}`).toContain('UNAUTHENTICATED');
    });
  }
});
