/** The destination that a program asks for: the authority of a CONNECT. */
export type TunnelTarget = { readonly host: string; readonly port: number };

const MAX_HOST_LENGTH = 253;
const AUTHORITY = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)\.?:([1-9]\d{0,4})$/i;
/** A name whose last label is a number is an address in one of its spellings. */
const ENDS_AS_ADDRESS = /(?:^|\.)(?:\d+|0x[\da-f]*)$/i;

/** Reads `host:port`. Undefined for what is not a name and a port: addresses, in whatever spelling, are named by nobody. */
export function readTarget(authority: string): TunnelTarget | undefined {
  const [, host = '', port = ''] = AUTHORITY.exec(authority) ?? [];
  if (host === '' || host.length > MAX_HOST_LENGTH || ENDS_AS_ADDRESS.test(host) || Number(port) > 65_535)
    return undefined;
  return { host: host.toLowerCase(), port: Number(port) };
}

/** The spelling by which two targets are compared. */
export const nameTarget = ({ host, port }: TunnelTarget): string => `${host}:${port}`;
