import { Fault } from '@attache/contracts';
import type { PutOptions } from './blob-store.ts';
import { untilAborted } from './until-aborted.ts';

/** The body under the caller's signal, refused when it is not as long as announced. */
export async function* limitBody(body: AsyncIterable<Uint8Array>, options: PutOptions): AsyncGenerator<Uint8Array> {
  const { sizeBytes, signal } = options;
  let seenBytes = 0;
  for await (const chunk of signal === undefined ? body : untilAborted(body, signal)) {
    seenBytes += chunk.byteLength;
    if (sizeBytes !== undefined && seenBytes > sizeBytes) {
      throw new Fault('INVALID_REQUEST', `The body has more than the announced ${sizeBytes} bytes.`);
    }
    yield chunk;
  }
  if (sizeBytes !== undefined && seenBytes < sizeBytes) {
    throw new Fault('INVALID_REQUEST', `The body ended after ${seenBytes} of the announced ${sizeBytes} bytes.`);
  }
}
