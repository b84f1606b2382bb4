import type { SettledSandbox } from '@attache/programs/settle-sandbox';
import type { Logger } from '@attache/telemetry';

/** Logs what a gateway does otherwise than others do, and answers the same as lines for `/readyz`. */
export function sayHowItServes(
  log: Pick<Logger, 'info' | 'warn'>,
  pinnedTenant: string | undefined,
  { notice }: SettledSandbox,
): string[] {
  if (pinnedTenant !== undefined) log.info({ tenant: pinnedTenant }, 'gateway.pinned');
  if (notice !== undefined) log.warn({ notice }, 'sandbox.unavailable');
  return [
    ...(pinnedTenant === undefined ? [] : [`tenant ${pinnedTenant} alone`]),
    ...(notice === undefined ? [] : [`sandbox unavailable: ${notice}`]),
  ];
}
