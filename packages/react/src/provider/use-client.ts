import { type Client, type ClientOptions, createClient } from '@attache/client';
import { useContext, useEffect, useMemo, useRef } from 'react';
import { AttacheContext } from './context.ts';

/** Names the client of a hook. Without any of these it is that of `AttacheProvider`. */
export type ClientSource = {
  client?: Client | undefined;
  baseUrl?: ClientOptions['baseUrl'] | undefined;
  getToken?: ClientOptions['getToken'];
};

/** The client that the options or the provider name. Throws if neither names one. */
export function useClient({ client, baseUrl, getToken }: ClientSource): Client {
  const provided = useContext(AttacheContext).client;
  const latest = useRef(getToken);
  useEffect(() => {
    latest.current = getToken;
  });
  const hasToken = getToken !== undefined;
  const own = useMemo(() => {
    if (baseUrl === undefined) return undefined;
    const ask: NonNullable<typeof getToken> = (request) => latest.current?.(request) ?? '';
    return createClient({ baseUrl, ...(hasToken && { getToken: ask }) });
  }, [baseUrl, hasToken]);
  const chosen = client ?? own ?? provided;
  if (!chosen) throw new Error('Name a client or baseUrl, or use AttacheProvider.');
  return chosen;
}
