import { randomUUID } from 'node:crypto';
import type { NamedIds } from '@attache/database';
import { countRoundTrips } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { createKey } from '../access/manage-keys.ts';
import { planMessage } from '../message/plan-message.ts';
import { createToken } from '../session/create-token.ts';
import { authenticateApiKey, readApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';
import { authenticateSessionToken, readSessionToken } from './session-token.ts';

/** A fixture whose caller is found by its key, for a message to its agent. */
async function openAhead() {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, keep } = fixture;
  const { secret } = await createKey(deps, caller, { name: 'one', scopes: ['admin'] }, keep);
  const key = readApiKey(secret);
  const find = (of: Partial<NamedIds> = {}) => {
    const named = { sessionId, agentIds: [agentId], attachmentIds: [], ...of };
    return authenticateApiKey(deps.db, key, { of: 'message', sessionId: named.sessionId, named });
  };
  const { db, take } = countRoundTrips(deps.db);
  const plan = async (by: Caller) => {
    const draft = { to: [agentId], text: 'hello', attachmentIds: [] };
    const { plans } = await planMessage({ ...deps, db }, by, sessionId, draft);
    return { plans, roundTrips: take() };
  };
  return { fixture, find, plan };
}

it('a message is planned once on what the look-up of its key found, and then on what is there', async () => {
  const { find, plan } = await openAhead();
  const caller = await find();
  const first = await plan(caller);
  const second = await plan(caller);
  expect([first.roundTrips, second.roundTrips]).toEqual([0, 1]);
  expect(first.plans).toEqual(second.plans);
});

it('the look-up of a session token finds the same, for its own session alone', async () => {
  const { fixture, plan } = await openAhead();
  const { deps, caller: owner, sessionId, agentId, keep } = fixture;
  const request = { externalUserId: 'one', rights: ['messages:send' as const], ttlSeconds: 60 };
  const { token } = await createToken(deps, owner, sessionId, request, keep);
  const claims = readSessionToken(deps.signingKeys, token);
  const named = { sessionId, agentIds: [agentId], attachmentIds: [] };
  const caller = await authenticateSessionToken(deps.db, claims, { of: 'message', sessionId, named });
  expect((await plan(caller)).roundTrips).toBe(0);
  const elsewhere = { of: 'message', sessionId: randomUUID(), named } as const;
  expect((await authenticateSessionToken(deps.db, claims, elsewhere)).named).toBeUndefined();
});

it('what was found for another message is not used', async () => {
  const { find, plan } = await openAhead();
  expect((await plan(await find({ attachmentIds: [randomUUID()] }))).roundTrips).toBe(1);
  const other = await openFixture();
  // It finds nothing of another tenant.
  expect((await find({ sessionId: other.sessionId })).named).toBeUndefined();
  expect((await plan(await find({ agentIds: [randomUUID()] }))).roundTrips).toBe(1);
});
