import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';

const addressOf = (socketAddress: string | undefined, forwardedFor?: string, trustedProxies = 0) =>
  clientAddress({ socketAddress, forwardedFor, trustedProxies });

describe('the address that refused credentials are counted against', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('of %s is %s: an IPv6 customer has at least a /64', (socket, expected) => {
    expect(addressOf(socket)).toBe(expected);
  });

  it('is the socket’s while no proxy is trusted, whatever the header claims [S4]', () => {
    expect(addressOf('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
  });

  it('is the one that the outermost of our proxies saw; what the client wrote before it counts for nothing [S4]', () => {
    expect(addressOf('10.0.0.1', '9.9.9.9, 198.51.100.1', 1)).toBe('198.51.100.1');
    expect(addressOf('10.0.0.1', '9.9.9.9, 198.51.100.1, 10.0.0.2', 2)).toBe('198.51.100.1');
  });

  it.each([undefined, '', 'unknown', 'a, b', '198.51.100.1:80'])(
    'is the socket’s where the header holds %j',
    (header) => {
      expect(addressOf('10.0.0.1', header, 1)).toBe('10.0.0.1');
    },
  );

  it('is one for all where there is none', () => {
    expect(addressOf(undefined)).toBe('');
  });
});
