import { Fault } from '@attache/contracts';
import type { PutOptions } from './blob-store.ts';
import { untilAborted } from './until-aborted.ts';
import type { OnBytes } from './young-collection.ts';

export type BodyLimits = PutOptions & { onBytes?: OnBytes | undefined };

/** The body under the caller's signal, refused when it is not as long as announced. `onBytes` hears of each chunk. */
export async function* limitBody(
  body: AsyncIterable<Uint8Array>,
  { sizeBytes, signal, onBytes }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  let seenBytes = 0;
  for await (const chunk of signal === undefined ? body : untilAborted(body, signal)) {
    seenBytes += chunk.byteLength;
    if (sizeBytes !== undefined && seenBytes > sizeBytes) {
      throw new Fault('INVALID_REQUEST', `The body has more than the announced ${sizeBytes} bytes.`);
    }
    onBytes?.(chunk.byteLength);
    yield chunk;
  }
  if (sizeBytes !== undefined && seenBytes < sizeBytes) {
    throw new Fault('INVALID_REQUEST', `The body ended after ${seenBytes} of the announced ${sizeBytes} bytes.`);
  }
}
