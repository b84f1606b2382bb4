// hosted: long – clients speak to the public API alone
// embedded: long – generators are run; the contract itself is in openapi.test.ts
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateClients, runClient } from '@attache/generated-clients';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

const MAX_LINES = 6_500;

let stack: Stack;
let folder: string;
beforeAll(async () => {
  stack = await openStack();
  folder = await mkdtemp(join(tmpdir(), 'attache-clients-'));
  await generateClients(folder, await (await fetch(`${stack.api.url}/openapi.json`)).text());
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

it.each(['by-types', 'by-sdk'] as const)(
  'a client that is generated from the contract, %s, compiles and does the main job [DL-12 DL-41]',
  async (name) => {
    const done = await runClient(folder, name, { url: stack.api.url.replace(/\/v1$/, ''), key: stack.api.apiKey });
    expect(done).toMatchObject({ status: 'responded', sha256: createHash('sha256').update('a note').digest('hex') });
    expect(done.kinds).toEqual(expect.arrayContaining(['attachment.ready', 'message.accepted', 'delivery.responded']));
  },
);

it('the types of the contract can be read: they are short', async () => {
  expect((await readFile(join(folder, 'types.ts'), 'utf8')).split('\n').length).toBeLessThanOrEqual(MAX_LINES);
});
