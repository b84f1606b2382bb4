import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectPglite } from '../src/connect-pglite.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('__fixtures__/dying-start.ts', import.meta.url));
const catalogs = await readFile(new URL('__fixtures__/catalogs.sql', import.meta.url), 'utf8');

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 0);
const KILLS = 3;

let parent: string;
let messageCount: number;
let made: string[];

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'attache-test-'));
  const folder = join(parent, 'whole');
  messageCount = Number((await run(process.execPath, [program, folder])).stdout);
  made = await readCatalogs(folder);
}, 120_000);
afterAll(() => rm(parent, { recursive: true, force: true }));

async function readCatalogs(folder: string): Promise<string[]> {
  const client = await PGlite.create(folder);
  const { rows } = await client.query<{ line: string }>(catalogs);
  await client.close();
  return rows.map(({ line }) => line);
}

/** A message in each third of the start. */
const drawMessage = (part: number): number => {
  const drawn = createHash('sha256').update(`${seed} ${part}`).digest().readUInt32BE() / 2 ** 32;
  return 1 + Math.floor(((part + drawn) * messageCount) / KILLS);
};

it('a first start has something to do', () => {
  expect(messageCount).toBeGreaterThan(100);
  expect(made.length).toBeGreaterThan(900);
});

it.each(Array.from({ length: KILLS }, (_, part) => part))(
  'a first start that is killed in its third %i leaves a folder that the next one makes whole',
  async (part) => {
    const folder = join(parent, `killed-${part}`);
    const message = drawMessage(part);
    const killed = run(process.execPath, [program, folder, String(message)]);
    await expect(killed, `before message ${message} of ${messageCount}`).rejects.toMatchObject({ signal: 'SIGKILL' });
    const db = await connectPglite({ folder });
    await db.close();
    expect(await readCatalogs(folder), `before message ${message} of ${messageCount}`).toEqual(made);
  },
  120_000,
);
