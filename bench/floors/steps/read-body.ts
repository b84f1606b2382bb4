import { createHash } from 'node:crypto';

// The least that must be done to know what is in a body.

/** Decodes files and hashes them, each at once. */
export function decodeFiles(files: readonly string[]): string[] {
  return files.map((base64) => createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex'));
}

/** Reads a body as it came. */
export const parseBody = (body: Buffer): unknown => JSON.parse(body.toString());
