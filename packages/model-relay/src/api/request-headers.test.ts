import { expect, it } from 'vitest';
import recorded from '../fields/__fixtures__/recorded-requests.json' with { type: 'json' };
import { findRefusedHeader, isPassedHeader } from './request-headers.ts';

/** Headers of an HTTP client that say nothing, and one that the relay writes itself. */
const leftOut = ['sec-fetch-mode', 'content-type'];

it.each(Object.entries(recorded))(
  'the headers that were recorded of %s pass, and none is refused',
  (_, { headers }) => {
    expect(findRefusedHeader(headers)).toBeUndefined();
    expect(headers.filter((name) => !isPassedHeader(name) && !leftOut.includes(name))).toEqual([]);
  },
);

it.each([
  'x-portkey-config',
  'x-litellm-api-base',
  'cf-aig-authorization',
  'x-original-url',
  'forwarded',
  'x-target-url',
])('a header that routes is refused: %s', (name) => {
  expect(findRefusedHeader(['accept', name])).toBe(name);
  expect(isPassedHeader(name)).toBe(false);
});
