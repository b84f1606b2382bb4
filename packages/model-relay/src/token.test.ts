import { expect, it } from 'vitest';
import { createToken, digestToken, hasToken } from './token.ts';

const token = createToken();
const digest = digestToken(token);

it('a token is 32 random bytes of its own', () => {
  expect(token).toMatch(/^atr_[A-Za-z0-9_-]{43}$/);
  expect(createToken()).not.toBe(token);
});

it.each([
  { 'x-api-key': token },
  { 'x-goog-api-key': token },
  { authorization: `Bearer ${token}` },
  { authorization: `bearer ${token}`, 'x-api-key': token },
])('is taken where programs put their key: %#', (headers) => {
  expect(hasToken(headers, digest)).toBe(true);
});

it.each([
  {},
  { 'x-api-key': '' },
  { 'x-api-key': createToken() },
  { 'x-api-key': `${token}, ${token}` },
  { authorization: token },
  { authorization: `Basic ${token}` },
  { authorization: `Bearer ${createToken()}`, 'x-api-key': token },
  { cookie: token },
])('nothing else is taken: %#', (headers) => {
  expect(hasToken(headers, digest)).toBe(false);
});
