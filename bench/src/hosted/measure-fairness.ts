import { createTenant } from '../fairness/create-tenant.ts';
import { measureNeighbours } from '../fairness/measure-fairness.ts';
import type { Result } from '../report/result.ts';
import type { HostedBench } from './bench.ts';

/** Tenants next to each other, on the three services. */
export function measureFairness({ product: { stack }, counted, say }: HostedBench): Promise<Result[]> {
  return measureNeighbours({
    url: `${stack.url}/v1`,
    createTenant: (name) => createTenant(name, { ATTACHE_DATABASE_URL: stack.database.urlOf('operator') }),
    ...{ counted, say },
  });
}
