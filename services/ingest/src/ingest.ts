import { createKeyPools } from '@attache/intake';
import { catalog } from '@attache/programs/catalog';
import { refuseFaultyCatalog } from './access/refuse-faulty-catalog.ts';
import { createApp } from './http/app.ts';
import { serveHttp } from './http/server/serve.ts';
import type { IngestDeps } from './ingest-deps.ts';

export { createApiKeySecret } from '@attache/operator/api-key-secret';
export type { RateLimits } from './caller/request-limiter.ts';
export { describeOpenApi } from './http/describe-open-api.ts';
export type { IngestDeps, IngestSettings } from './ingest-deps.ts';

export type RunningIngest = {
  /** Where it listens. */
  url: string;
  stop(): Promise<void>;
};

/** Starts the public HTTP service. */
export async function startIngest(deps: IngestDeps): Promise<RunningIngest> {
  refuseFaultyCatalog(deps.catalog ?? catalog);
  let listeningUrl = '';
  const baseUrl = () => `${deps.settings.publicUrl ?? listeningUrl}${deps.settings.basePath}`;
  const keyPools = createKeyPools({ db: deps.db, storeId: deps.blobs.id, holder: deps.holder });
  const server = await serveHttp(createApp({ ...deps, keyPools }, baseUrl), deps.settings);
  listeningUrl = server.url;
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await keyPools.stop();
    },
  };
}
