import type { EgressOptions } from '../egress-types.ts';

/** `refused`: the name has an address to which no connection may go. */
export type Resolved =
  | { readonly status: 'resolved'; readonly addresses: readonly string[] }
  | { readonly status: 'refused' | 'unknown' };

/**
 * Resolves a name, once: the connection goes to an address that was checked here. One refused address is enough to refuse the name, so that what a
 * name server mixes in decides nothing.
 */
export async function resolveChecked(
  host: string,
  { resolveName, judge }: Required<Pick<EgressOptions, 'resolveName' | 'judge'>>,
  timeoutMs: number,
): Promise<Resolved> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, timeoutMs, undefined);
  try {
    const addresses = await Promise.race([resolveName(host), late.promise]);
    if (addresses === undefined || addresses.length === 0) return { status: 'unknown' };
    const isAllowed = addresses.every((address) => judge(address).status === 'public');
    return isAllowed ? { status: 'resolved', addresses } : { status: 'refused' };
  } catch {
    return { status: 'unknown' };
  } finally {
    clearTimeout(timer);
  }
}
