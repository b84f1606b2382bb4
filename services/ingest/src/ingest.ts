import { createKeyPools } from '@attache/intake';
import { catalog } from '@attache/programs/catalog';
import { createSeldom } from '@attache/telemetry';
import { refuseFaultyCatalog } from './access/refuse-faulty-catalog.ts';
import { createApp } from './http/app.ts';
import { serveHttp, serverLimits } from './http/server/serve.ts';
import { boundsOf } from './http/shares/open-counters.ts';
import type { IngestDeps } from './ingest-deps.ts';

export type { RateLimits } from './caller/request-limiter.ts';
export { describeOpenApi } from './http/describe-open-api.ts';
export type { IngestDeps, IngestSettings } from './ingest-deps.ts';
export type { IngestBounds, IngestLimits } from './ingest-limits.ts';

export type RunningIngest = {
  /** The address on which it listens. */
  url: string;
  stop(): Promise<void>;
};

/** Starts the public HTTP service. */
export async function startIngest(deps: IngestDeps): Promise<RunningIngest> {
  refuseFaultyCatalog(deps.catalog ?? catalog);
  let listeningUrl = '';
  const baseUrl = () => `${deps.settings.publicUrl ?? listeningUrl}${deps.settings.basePath}`;
  const keyPools = createKeyPools({ db: deps.db, storeId: deps.blobs.id, holder: deps.holder });
  const { headersMs = serverLimits.headersMs } = deps.settings.limits ?? {};
  const app = createApp({ ...deps, keyPools }, baseUrl);
  const { connections: maxConnections } = boundsOf(deps.settings);
  const isTime = createSeldom();
  const onFull = () => {
    if (isTime('full')) deps.log.warn({ maxConnections }, 'connections.full');
  };
  const server = await serveHttp(app, deps.settings, { ...serverLimits, headersMs, maxConnections, onFull });
  listeningUrl = server.url;
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await keyPools.stop();
    },
  };
}
