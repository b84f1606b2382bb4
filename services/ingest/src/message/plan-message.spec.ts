import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { openScene } from '../__fixtures__/open-scene.ts';
import { planMessage } from './plan-message.ts';

it('plans a draft once for each agent that it names, and changes nothing', async () => {
  const { deps, caller, sessionId, agentId, readEvents, takePublished } = await openScene();
  const draft = { to: [agentId, agentId], text: 'hello', attachmentIds: [] };
  const { plans } = await planMessage(deps, caller, sessionId, draft);
  expect(plans).toMatchObject([{ agentId: idFromUuid('agent', agentId), decision: 'deliver', items: [] }]);
  expect([await readEvents(), takePublished()]).toEqual([[], []]);
});

it('knows no agent and no file of another session', async () => {
  const [{ deps, caller, sessionId, agentId }, other] = [await openScene(), await openScene()];
  const foreign = await createAttachment(deps.db, other);
  const asks = [
    [{ to: [other.agentId], text: 'a', attachmentIds: [] }, 'AGENT_NOT_FOUND'],
    [{ to: [agentId], text: 'a', attachmentIds: [foreign.attachmentId] }, 'ATTACHMENT_NOT_FOUND'],
    [{ to: [randomUUID()], text: 'a', attachmentIds: [] }, 'AGENT_NOT_FOUND'],
  ] as const;
  for (const [draft, code] of asks)
    await expect(planMessage(deps, caller, sessionId, draft)).rejects.toMatchObject({ code });
  const nowhere = planMessage(deps, caller, randomUUID(), { to: [agentId], text: 'a', attachmentIds: [] });
  await expect(nowhere).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});
