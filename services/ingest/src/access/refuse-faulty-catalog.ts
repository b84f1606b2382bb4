import { Fault } from '@attache/contracts';
import { type Catalog, checkCatalog } from '@attache/domain';

/** Stops the start on a catalog with a faulty row: its statements about models would be wrong, and nobody would see it (DL-100). */
export function refuseFaultyCatalog(catalog: Catalog): void {
  const faults = checkCatalog(catalog);
  if (faults.length === 0) return;
  throw new Fault('CONFIGURATION_INVALID', `The capability catalog is faulty. ${faults.join(' ')} Correct these rows.`);
}
