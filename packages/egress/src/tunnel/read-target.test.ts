import { expect, it } from 'vitest';
import { readTarget } from './read-target.ts';

it.each([
  ['api.example.com:443', { host: 'api.example.com', port: 443 }],
  ['API.Example.COM.:443', { host: 'api.example.com', port: 443 }],
  ['localhost:1', { host: 'localhost', port: 1 }],
  ['a-b.c1:65535', { host: 'a-b.c1', port: 65_535 }],
])('%s is a name and a port', (authority, target) => {
  expect(readTarget(authority)).toEqual(target);
});

it.each([
  '',
  'api.example.com',
  'api.example.com:',
  'api.example.com:0',
  'api.example.com:65536',
  'api.example.com:0443',
  'api.example.com:443/',
  'user@api.example.com:443',
  'http://api.example.com:443',
  'api..example.com:443',
  '-api.example.com:443',
  'api.example.com :443',
  'api.exämple.com:443',
  'api%2eexample.com:443',
  '127.0.0.1:443',
  '127.1:443',
  '2130706433:443',
  '0x7f000001:443',
  'a.0x7f:443',
  '[::1]:443',
  '::1:443',
  `${'a.'.repeat(130)}com:443`,
])('%s is refused as no target [BX-22 A20]', (authority) => {
  expect(readTarget(authority)).toBeUndefined();
});
