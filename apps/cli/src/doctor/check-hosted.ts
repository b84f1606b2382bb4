import { readDoctorConfig } from '@attache/hosted/config';
import { diagnoseBus, diagnoseDatabase, diagnoseStore } from '@attache/hosted/doctor';
import { checksOfMachine } from './check-machine.ts';
import { checkOfProfiles } from './check-profiles.ts';
import { checkOfPublicUrl } from './check-public-url.ts';
import { checkOfSecretKeys } from './check-secret-keys.ts';
import type { Checkup } from './checkup.ts';

/** The hosted stack, as one of its services sees its servers, and the agents on this machine. */
export function checkupOfHosted(): Checkup {
  const config = readDoctorConfig();
  const { database, natsUrl, store, warnings } = config;
  return {
    stack: { databaseUrl: database.url },
    dataDir: config.dataDir,
    checks: [
      ...checksOfMachine({ host: config.host, ports: config.ports }),
      {
        name: 'settings',
        run: async () =>
          warnings.length === 0
            ? { state: 'ok', detail: 'no unknown name' }
            : { state: 'warning', detail: `${warnings.length} without effect`, fix: warnings.join(' ') },
      },
      checkOfPublicUrl(config),
      checkOfSecretKeys(config),
      checkOfProfiles(config.profiles, config.profileWarnings),
      { name: 'database', run: () => diagnoseDatabase(database) },
      { name: 'event bus', run: () => diagnoseBus(natsUrl) },
      { name: 'object store', run: () => diagnoseStore(store) },
    ],
    policy: { need: 'required', pinnedTenant: config.pinnedTenant },
    // The private folders of a gateway are on its own machine.
    offer: { ...config, privateFolders: [] },
  };
}
