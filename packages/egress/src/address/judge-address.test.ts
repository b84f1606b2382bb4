import { expect, it } from 'vitest';
import { judgeAddress } from './judge-address.ts';

it.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '168.63.129.16',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  '2a00:1450::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '100::1',
])('%s is refused [BX-22 A20]', (address) => {
  expect(judgeAddress(address)).toMatchObject({ status: 'refused' });
});

it.each([
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
])('%s, an address of IPv4 in the spelling of IPv6, is refused [BX-22 A9 A20]', (address) => {
  expect(judgeAddress(address)).toMatchObject({ status: 'refused' });
});

// Spellings that some resolvers take for an address. Node's resolver returns none of them, and none counts as an address here.
it.each(['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '', 'localhost', '127.0.0.1:80', '[::1]'])(
  '%s is refused as no address [BX-22 A20]',
  (address) => {
    expect(judgeAddress(address)).toEqual({ status: 'refused', why: 'no address' });
  },
);

it.each(['8.8.8.8', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0', '168.63.129.17'])(
  '%s is public',
  (address) => {
    expect(judgeAddress(address)).toEqual({ status: 'public' });
  },
);

it.each(['2a00:1450:4001::200e', '2606:4700::1111', '2001:4860:4860::8888', '2001:200::1'])(
  '%s is public',
  (address) => {
    expect(judgeAddress(address)).toEqual({ status: 'public' });
  },
);
