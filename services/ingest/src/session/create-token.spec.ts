import { expect, it } from 'vitest';
import { callerOf, openFixture } from '../__fixtures__/open-fixture.ts';
import { readSessionToken } from '../caller/session-token.ts';
import { createToken } from './create-token.ts';

const request = { externalUserId: 'user-1', rights: ['messages:send' as const], ttlSeconds: 600 };

it('makes a user a participant with these rights, and a token that holds them', async () => {
  const { deps, caller, sessionId, keep, kept } = await openFixture();
  const created = await createToken(deps, caller, sessionId, request, keep);
  expect(kept).toEqual([created]);
  expect(readSessionToken(deps.signingKeys, created.token)).toMatchObject({ sessionId, rights: ['messages:send'] });
});

it('gives no right that a session has none of, or that the participant lacks', async () => {
  const { deps, caller, sessionId, keep } = await openFixture();
  const foreign = { ...request, rights: ['keys:manage' as const] };
  await expect(createToken(deps, caller, sessionId, foreign, keep)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await createToken(deps, caller, sessionId, request, keep);
  const more = { ...request, rights: ['messages:send' as const, 'urls:create' as const] };
  await expect(createToken(deps, caller, sessionId, more, keep)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('gives no right that its maker lacks, and makes nobody a participant then [BX-09]', async () => {
  const { deps, tenantId, sessionId, keep, kept } = await openFixture();
  const maker = callerOf(tenantId, { rights: new Set(['sessions:manage', 'messages:send']) });
  const beyond = { ...request, rights: ['messages:send' as const, 'overrides:manage' as const] };
  await expect(createToken(deps, maker, sessionId, beyond, keep)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('overrides:manage'),
  });
  expect(kept).toEqual([]);
  await createToken(deps, maker, sessionId, request, keep);
  expect(kept).toHaveLength(1);
});
