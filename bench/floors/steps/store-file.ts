import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A body as a new file, durable when it resolves; answers its digest. */
export async function storeFile(path: string, body: Readable): Promise<string> {
  const hash = createHash('sha256');
  await using file = await open(path, 'wx', 0o600);
  for await (const chunk of body) {
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.sync();
  return hash.digest('hex');
}
