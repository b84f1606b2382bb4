import { copyFile, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import postgres from 'postgres';
import type { FloorConfig } from './floor-config.ts';
import { openObjectStore } from './object-store.ts';
import { storeFile } from './store-file.ts';

/** Bytes in a store, and rows that are durable when they are answered: on the servers of the hosted stack, or in files. */
export type LeastSteps = {
  /** Stores bytes under a new key; answers their digest. */
  store(key: string, body: Readable, sizeBytes: number): Promise<string>;
  fetch(key: string): Promise<Buffer>;
  /** Into a new file. */
  fetchToFile(key: string, path: string): Promise<void>;
  /** One row, by one statement or one line. */
  commit(id: string, step: string, data: Record<string, string>): Promise<void>;
  folder: string;
  agentCommand: readonly string[];
};

/** Without servers the steps are files of the folder. */
export type LeastConfig = Pick<FloorConfig, 'folder' | 'agentCommand'> & {
  servers?: Pick<FloorConfig, 'databaseUrl' | 'store'>;
};

const TABLE = `create table if not exists least (id uuid not null, step text not null, at timestamptz not null default now(), data jsonb not null,
  primary key (id, step))`;

/** Makes the one table; once, before the programs start. */
export async function createLeastTable(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(TABLE);
  await sql.end();
}

/** The steps that the program's one argument names. */
export async function openLeastSteps(): Promise<LeastSteps> {
  const { servers, folder, agentCommand }: LeastConfig = JSON.parse(process.argv[2] ?? '{}');
  const steps = servers === undefined ? await openFiles(folder) : openServers(servers);
  return { ...steps, folder, agentCommand };
}

type Durable = Omit<LeastSteps, 'folder' | 'agentCommand'>;

function openServers({ databaseUrl, store: place }: NonNullable<LeastConfig['servers']>): Durable {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  const store = openObjectStore(place);
  return {
    store: store.put,
    fetch: store.fetch,
    fetchToFile: store.fetchToFile,
    async commit(id, step, data) {
      await sql`insert into least (id, step, data) values (${id}, ${step}, ${sql.json(data)})`;
    },
  };
}

async function openFiles(folder: string): Promise<Durable> {
  const rows = await open(join(folder, `rows-${process.pid}.jsonl`), 'ax', 0o600);
  return {
    store: (key, body) => storeFile(join(folder, key), body),
    fetch: (key) => readFile(join(folder, key)),
    fetchToFile: (key, path) => copyFile(join(folder, key), path),
    async commit(id, step, data) {
      await rows.appendFile(`${JSON.stringify({ id, step, at: new Date(), data })}\n`);
      await rows.datasync();
    },
  };
}
