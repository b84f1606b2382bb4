import { isIPv4, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The first half of an IPv6 address: the smallest block that one customer of a provider gets. */
function networkOf(address: string): string {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - last.length).fill('0');
  return [...groups, ...zeros, ...last].slice(0, 4).join(':');
}

/**
 * Whom a failed attempt is counted against: an IPv4 address, or the /64 of an IPv6 one. Each of our own proxies appends the address
 * that it saw to `X-Forwarded-For`; earlier entries are anyone's claim.
 */
export function clientAddress(request: {
  socketAddress: string | undefined;
  forwardedFor: string | undefined;
  trustedProxies: number;
}): string {
  const { socketAddress = '', forwardedFor, trustedProxies } = request;
  const claimed = forwardedFor?.split(',').map((entry) => entry.trim()) ?? [];
  const seen = trustedProxies > 0 ? claimed.at(-trustedProxies) : undefined;
  const address = seen !== undefined && (isIPv4(seen) || isIPv6(seen)) ? seen : socketAddress;
  const plain = (MAPPED.exec(address)?.[1] ?? address).replace(/%.*$/, '');
  return isIPv6(plain) ? networkOf(plain) : plain;
}
