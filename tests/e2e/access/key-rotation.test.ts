// hosted: long – two processes agree on the signing keys in signed-urls.test.ts, too
// embedded: long – it starts a stack again and again; what keys sign is in signed-urls.test.ts
import { randomBytes } from 'node:crypto';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';

let stack: OwnStack;
beforeAll(async () => {
  stack = await openOwnStack();
});
afterAll(() => stack.stop());

/** The same path and query at the address that the stack has now. */
const atPresentAddress = (url: string) => `${stack.api.url}${new URL(url).pathname}${new URL(url).search}`;
const kidOf = (url: string) => new URL(url).searchParams.get('kid');

it('a new signing key signs at once, the old one verifies until it is retired [AT-07 AT-26]', async () => {
  const { session } = await stack.api.createSession();
  const { attachment, displayUrl: early } = await stack.api.upload(session.id, makePng(12, 12));
  const token = await stack.api.call('POST', `/sessions/${session.id}/tokens`, {
    body: { externalUserId: 'anna', rights: ['attachments:read'], ttlSeconds: 3600 },
  });
  const credential = String(token.body.token);
  const readWithToken = () => stack.api.call('GET', `/attachments/${attachment.id}`, { credential });
  const sign = async () => {
    const { body } = await stack.api.call('POST', `/attachments/${attachment.id}/urls`, { body: {} });
    return String(body.url);
  };

  await stack.changeSigningKeys((present) => [`k2:${randomBytes(32).toString('hex')}`, ...present]);
  const late = await sign();
  expect([kidOf(early), kidOf(late)]).toEqual(['k1', 'k2']);
  // The address changed with the start; it is outside the signature.
  expect((await fetch(atPresentAddress(early))).status).toBe(200);
  expect((await fetch(late)).status).toBe(200);
  expect((await readWithToken()).status).toBe(200);

  await stack.changeSigningKeys(([newest = '']) => [newest]);
  expect((await fetch(atPresentAddress(early))).status).toBe(401);
  expect((await fetch(atPresentAddress(late))).status).toBe(200);
  expect((await readWithToken()).status).toBe(401);
});
