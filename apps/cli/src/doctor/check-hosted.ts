import { readDoctorConfig } from '@attache/hosted/config';
import { diagnoseBus, diagnoseDatabase, diagnoseStore } from '@attache/hosted/doctor';
import { checksOfMachine } from './check-machine.ts';
import type { Check } from './finding.ts';

/** Checks of the hosted stack, as one of its services sees its servers. */
export function checksOfHosted(): Check[] {
  const config = readDoctorConfig();
  const { database, natsUrl, store, warnings } = config;
  return [
    ...checksOfMachine({ host: config.host, ports: { ATTACHE_PORT: config.port, ATTACHE_OPS_PORT: config.opsPort } }),
    {
      name: 'settings',
      run: async () =>
        warnings.length === 0
          ? { state: 'ok', detail: 'no unknown name' }
          : { state: 'warning', detail: `${warnings.length} without effect`, fix: warnings.join(' ') },
    },
    { name: 'database', run: () => diagnoseDatabase(database) },
    { name: 'event bus', run: () => diagnoseBus(natsUrl) },
    { name: 'object store', run: () => diagnoseStore(store) },
  ];
}
