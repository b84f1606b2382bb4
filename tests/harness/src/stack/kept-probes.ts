import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import postgres from 'postgres';

type ProbeRow = { profile: string; program_version: string; declared: postgres.JSONValue };

const fileIn = (bundle: string) => join(bundle, 'probes.json');

/** Keeps, next to the bundle of a test run, what the programs of its profiles said when a stack on this data folder asked them. */
export async function keepProbes(dataDir: string, bundle: string): Promise<void> {
  const client = await PGlite.create(join(dataDir, 'database'));
  try {
    const { rows } = await client.query<ProbeRow>('select profile, program_version, declared from profile_probe');
    await writeFile(fileIn(bundle), JSON.stringify(rows));
  } finally {
    await client.close();
  }
}

/** Puts what was kept into a new database, so that its gateways start no program to ask it again. Does nothing if no run kept any. */
export async function restoreProbes(superuserUrl: string, bundle: string | undefined): Promise<void> {
  const text = bundle === undefined ? undefined : await readFile(fileIn(bundle), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    for (const { profile, program_version, declared } of JSON.parse(text) as ProbeRow[])
      await sql`insert into profile_probe (profile, program_version, declared)
        values (${profile}, ${program_version}, ${sql.json(declared)})`;
  } finally {
    await sql.end();
  }
}
