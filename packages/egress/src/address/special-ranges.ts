/** A range that no agent is to reach, as IANA's registries of special-purpose addresses name it, or a cloud's own. */
export type SpecialRange = readonly [network: string, prefixBits: number, name: string];

export const ipv4Ranges: readonly SpecialRange[] = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by carriers'],
  ['127.0.0.0', 8, 'loopback'],
  // Clouds serve the machine's own credentials at 169.254.169.254.
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'protocol assignments'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.31.196.0', 24, 'AS112'],
  ['192.52.193.0', 24, 'AMT'],
  ['192.88.99.0', 24, '6to4 relay'],
  ['192.168.0.0', 16, 'private'],
  ['192.175.48.0', 24, 'AS112'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
  // Azure's machine service, at an address that looks public.
  ['168.63.129.16', 32, 'cloud metadata'],
];

/** All that is not global unicast is refused as a whole. */
export const IPV6_GLOBAL: readonly [network: string, prefixBits: number] = ['2000::', 3];

/** Within global unicast. */
export const ipv6Ranges: readonly SpecialRange[] = [
  // Teredo, ORCHID and other assignments; some of them carry an address of IPv4.
  ['2001::', 23, 'protocol assignments'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['2620:4f:8000::', 48, 'AS112'],
  ['3fff::', 20, 'documentation'],
];
