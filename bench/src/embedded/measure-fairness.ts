import { readOfferedProfiles } from '@attache/process-setup';
import { createTenant } from '../fairness/create-tenant.ts';
import { busyProfile } from '../fairness/loads/busy-agents.ts';
import { measureNeighbours } from '../fairness/measure-fairness.ts';
import type { Result } from '../report/result.ts';
import type { EmbeddedBench } from './bench.ts';
import { startProductWith } from './start-programs.ts';

/** Tenants next to each other, in one process. */
export async function measureFairness({ counted, say }: EmbeddedBench): Promise<Result[]> {
  const product = await startProductWith({ ...readOfferedProfiles(undefined, '').profiles, busy: busyProfile });
  const { url, dataDir } = product;
  try {
    return await measureNeighbours({
      url: `${url}/v1`,
      createTenant: (name) => createTenant(name, { ATTACHE_DATA_DIR: dataDir, HOME: dataDir }),
      ...{ counted, say },
    });
  } finally {
    await product.stop();
  }
}
