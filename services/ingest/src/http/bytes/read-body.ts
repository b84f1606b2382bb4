import { Fault } from '@attache/contracts';
import { guardSlowStream, readChunks } from '@attache/intake';
import type { Context } from 'hono';
import type { HttpEnv } from '../context.ts';

/** The bytes of a request as they come; a slow sender is ended. One that waits for `100 Continue` gets it when the first is wanted. */
export async function* readBody(c: Context<HttpEnv>): AsyncGenerator<Uint8Array> {
  const { incoming, outgoing } = c.env;
  refuseEncoded(incoming.headers['content-encoding']);
  if (incoming.headers.expect !== undefined) outgoing.writeContinue();
  yield* guardSlowStream(readChunks(incoming), { windowMs: c.get('limits')?.slowBodyMs });
}

// A compressed body would be stored as such under another type.
function refuseEncoded(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || /^(?:identity)?$/i.test(contentEncoding.trim())) return;
  throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'The body has a Content-Encoding. Send it without one.');
}
