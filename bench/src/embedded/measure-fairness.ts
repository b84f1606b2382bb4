import { createTenant } from '../fairness/create-tenant.ts';
import { measureNeighbours } from '../fairness/measure-fairness.ts';
import type { Result } from '../report/result.ts';
import type { EmbeddedBench } from './bench.ts';

/** Tenants next to each other, in one process. */
export function measureFairness({ product: { url, dataDir }, counted, say }: EmbeddedBench): Promise<Result[]> {
  const environment = { ATTACHE_DATA_DIR: dataDir, HOME: dataDir };
  return measureNeighbours({
    url: `${url}/v1`,
    createTenant: (name) => createTenant(name, environment),
    ...{ counted, say },
  });
}
