import type { Logger } from '@attache/telemetry';

type Headers = { header(name: string): string | undefined };

/** Whether a proxy reports the host that the client asked for. The value is neither trusted nor logged. */
function isForwarded(headers: Headers): boolean {
  return (
    headers.header('x-forwarded-host') !== undefined || /(?:^|[;,])\s*host=/i.test(headers.header('forwarded') ?? '')
  );
}

/**
 * Without a public URL the URLs that are given out name the address on which ingest listens. Behind a proxy no client reaches that: the
 * first request that came through one is a warning, once.
 */
export function createForwardedHostWarner({
  publicUrl,
  log,
}: {
  publicUrl: string | undefined;
  log: Pick<Logger, 'warn'>;
}): (headers: Headers) => void {
  let isSaid = publicUrl !== undefined;
  return (headers) => {
    if (isSaid || !isForwarded(headers)) return;
    isSaid = true;
    const advice =
      'Requests come through a proxy, and ATTACHE_PUBLIC_URL is not set: set it to the address that clients use.';
    log.warn({ advice }, 'public_url.unset');
  };
}
