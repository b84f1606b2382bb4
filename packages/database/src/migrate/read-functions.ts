import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FUNCTIONS_NUMBER } from '../schema-version.ts';

/** The SQL functions, one file for each aggregate. A function may call those of any other file. */
const files = [
  new URL('../connection/functions.sql', import.meta.url),
  new URL('./functions.sql', import.meta.url),
  new URL('../keys/functions.sql', import.meta.url),
  new URL('../tenancy/functions.sql', import.meta.url),
  new URL('../session/functions.sql', import.meta.url),
  new URL('../quarantine/functions.sql', import.meta.url),
  new URL('../contradiction/functions.sql', import.meta.url),
  new URL('../idempotency/functions.sql', import.meta.url),
  new URL('../use/functions.sql', import.meta.url),
  new URL('../message/functions.sql', import.meta.url),
  new URL('../attachment/functions.sql', import.meta.url),
  new URL('../blob/functions.sql', import.meta.url),
  new URL('../checkpoint/functions.sql', import.meta.url),
  new URL('../delivery/functions.sql', import.meta.url),
  new URL('../outbox/functions.sql', import.meta.url),
  new URL('../dead-letters/functions.sql', import.meta.url),
];

const ownersFile = new URL('./owners.sql', import.meta.url);

export type FunctionsText = {
  number: number;
  /** The digest of both scripts. */
  checksum: string;
  script: string;
  /** Gives the functions their owners and rights. */
  owners: string;
};

/** All functions as one script, and their owners as another; both may be run again. */
export async function readFunctions(): Promise<FunctionsText> {
  const script = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  const owners = await readFile(ownersFile, 'utf8');
  const checksum = createHash('sha256').update(script).update(owners).digest('hex');
  return { number: FUNCTIONS_NUMBER, checksum, script, owners };
}
