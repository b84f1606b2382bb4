import { createServer } from 'node:net';
import { Fault } from '@attache/contracts';

/**
 * Refuses a port that cannot be listened on, before anything heavy is started for it; 0 is always free. `setting` is its variable. Another process can still
 * come in between: the code that listens in the end reports the same.
 */
export async function requireFreePort({
  host,
  port,
  setting,
}: {
  host: string;
  port: number;
  setting: string;
}): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (cause: NodeJS.ErrnoException) => reject(describe(cause, { host, port, setting })));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function describe(
  cause: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: string },
): Fault {
  const sentence =
    cause.code === 'EADDRINUSE'
      ? `The port ${port} on ${host} is taken. Stop what uses it, or set ${setting} to another one (0 picks a free one).`
      : `Cannot listen on ${host}:${port} (${cause.code}). Check ATTACHE_HOST and ${setting}.`;
  return new Fault('CONFIGURATION_INVALID', sentence, { cause });
}
