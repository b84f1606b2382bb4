import { idFromUuid, uuidFromId } from '@attache/contracts';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { callerOf, type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { createGrant, revokeGrant } from './manage-grants.ts';

async function requestFor(fixture: Fixture) {
  const { attachmentId } = await createAttachment(fixture.deps.db, fixture);
  const ids = { attachmentId: idFromUuid('attachment', attachmentId), agentId: idFromUuid('agent', fixture.agentId) };
  return { ...ids, rights: ['read' as const] };
}

it('grants an agent a file of its session and takes the grant back, each with its event', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, keep, kept, readEvents } = fixture;
  const grant = await createGrant(deps, caller, sessionId, await requestFor(fixture), keep);
  expect(kept).toEqual([{ grant }]);
  await revokeGrant(deps, caller, sessionId, uuidFromId(grant.id));
  const told = (await readEvents()).filter(({ kind }) => kind.startsWith('grant.'));
  expect(told).toMatchObject([
    { kind: 'grant.created', data: { grantId: grant.id } },
    { kind: 'grant.revoked', data: { grantId: grant.id } },
  ]);
});

it('knows no file and no agent of another session', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  const { deps, caller, sessionId, keep } = fixture;
  const [own, foreign] = [await requestFor(fixture), await requestFor(other)];
  const withFile = { ...own, attachmentId: foreign.attachmentId };
  const withAgent = { ...own, agentId: foreign.agentId };
  const asks = [
    [withFile, 'ATTACHMENT_NOT_FOUND'],
    [withAgent, 'AGENT_NOT_FOUND'],
  ] as const;
  for (const [request, code] of asks)
    await expect(createGrant(deps, caller, sessionId, request, keep)).rejects.toMatchObject({ code });
});

it('gives nobody a right that the caller lacks, and none that is over already', async () => {
  const fixture = await openFixture();
  const { deps, caller, tenantId, sessionId, keep, kept } = fixture;
  const request = await requestFor(fixture);
  const blind = callerOf(tenantId, { rights: new Set(['grants:manage']) });
  await expect(createGrant(deps, blind, sessionId, request, keep)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const over = { ...request, expiresAt: '2020-01-01T00:00:00.000Z' };
  await expect(createGrant(deps, caller, sessionId, over, keep)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect(kept).toEqual([]);
});
