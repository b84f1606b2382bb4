import type { IncomingMessage } from 'node:http';

const LARGEST_BODY_BYTES = 128 * 2 ** 20;

/** The body of a request; undefined where it is larger than any model API would take. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    // The rest is still read, so that the client gets to see the answer.
    if (sizeBytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return sizeBytes <= LARGEST_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}
