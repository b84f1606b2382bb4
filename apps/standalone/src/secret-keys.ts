import { join } from 'node:path';
import { Fault } from '@attache/contracts';
import { generateKey } from '@attache/secrets/generate-key';
import { type OpeningKey, parseOpeningKeys } from '@attache/secrets/key-text';
import { readIfThere, writePrivate } from './data-folder.ts';

/**
 * The keys that open the secrets of tenants in this data folder, a line each and the newest first: a random one at the first start. The public half
 * is derived from it, since both services are in this process.
 */
export async function readSecretKeys(dataDir: string): Promise<readonly OpeningKey[]> {
  const path = join(dataDir, 'secret-keys');
  let text = await readIfThere(path);
  if (text === undefined) {
    text = `${generateKey().privateKey}\n`;
    await writePrivate(path, text);
  }
  const keys = parseOpeningKeys(text.trim().split(/\s+/).join(','));
  if (keys !== undefined) return keys;
  throw new Fault(
    'CONFIGURATION_INVALID',
    `The file ${path} holds a line that is no key, or one key id twice. Put back what was there: without its keys the secrets of tenants are lost.`,
  );
}
