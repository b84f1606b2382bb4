import { BlockList, isIP } from 'node:net';
import { IPV6_GLOBAL, ipv4Ranges, ipv6Ranges, type SpecialRange } from './special-ranges.ts';

/** Whether a connection may go to an address. `refused`: with the reason as text. */
export type AddressJudgement = { readonly status: 'public' } | { readonly status: 'refused'; readonly why: string };

const v4 = listBlocks(ipv4Ranges, 'ipv4');
const v6 = listBlocks(ipv6Ranges, 'ipv6');
const global = new BlockList();
global.addSubnet(...IPV6_GLOBAL, 'ipv6');

/**
 * Judges an address that a name was resolved to. Addresses of IPv4 within IPv6 (mapped, NAT64, compatible) are outside of global unicast or in ranges that are
 * refused, so that none of them has to be unwrapped.
 */
export function judgeAddress(address: string): AddressJudgement {
  switch (isIP(address)) {
    case 4:
      return judgeBy(v4, address, 'ipv4');
    case 6:
      // A zone names an interface of this machine.
      if (address.includes('%') || !global.check(address, 'ipv6')) return refuse('no global unicast address');
      return judgeBy(v6, address, 'ipv6');
    default:
      return refuse('no address');
  }
}

type NamedBlock = { readonly list: BlockList; readonly name: string };

function listBlocks(ranges: readonly SpecialRange[], family: 'ipv4' | 'ipv6'): NamedBlock[] {
  return ranges.map(([network, prefixBits, name]) => {
    const list = new BlockList();
    list.addSubnet(network, prefixBits, family);
    return { list, name };
  });
}

function judgeBy(blocks: readonly NamedBlock[], address: string, family: 'ipv4' | 'ipv6'): AddressJudgement {
  const found = blocks.find(({ list }) => list.check(address, family));
  return found === undefined ? { status: 'public' } : refuse(found.name);
}

const refuse = (why: string): AddressJudgement => ({ status: 'refused', why });
