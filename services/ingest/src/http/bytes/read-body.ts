import { guardSlowStream, readChunks } from '@attache/intake';
import type { Context } from 'hono';
import type { HttpEnv } from '../context.ts';

/** The bytes of a request as they come; a slow sender is ended. One that waits for `100 Continue` gets it when the first is wanted. */
export async function* readBody(c: Context<HttpEnv>): AsyncGenerator<Uint8Array> {
  const { incoming, outgoing } = c.env;
  if (incoming.headers.expect !== undefined) outgoing.writeContinue();
  yield* guardSlowStream(readChunks(incoming), { windowMs: c.get('limits')?.slowBodyMs });
}
