import { idFromUuid } from '@attache/contracts';
import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { callerOf, openFixture } from '../__fixtures__/open-fixture.ts';
import { projectMessage } from './project-message.ts';

it('gives the parts of a draft for a model that is named', async () => {
  const { deps, caller, sessionId, takePublished } = await openFixture();
  const request = { format: 'anthropic', model: 'claude-sonnet-4-5', text: 'hello', bytes: 'url' } as const;
  const { parts, plan, target } = await projectMessage(deps, caller, sessionId, request);
  expect(parts).toEqual([{ type: 'text', text: 'hello' }]);
  expect(plan).toMatchObject({ decision: 'deliver', items: [] });
  expect(target).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' });
  expect(takePublished()).toEqual([]);
});

it('gives those of a message that was sent', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId } = fixture;
  const { messageId } = await createDelivery(deps.db, fixture);
  const messageIds = [idFromUuid('message', messageId)];
  const request = { format: 'google', model: 'gemini-2.5-pro', messageIds, bytes: 'url' } as const;
  expect((await projectMessage(deps, caller, sessionId, request)).parts).toEqual([{ type: 'text', text: 'hello' }]);
});

it('asks for a model or an agent, and knows no session of another tenant', async () => {
  const { deps, caller, sessionId } = await openFixture();
  const request = { format: 'anthropic', text: 'hello', bytes: 'url' } as const;
  await expect(projectMessage(deps, caller, sessionId, request)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  const foreign = callerOf((await openFixture()).tenantId);
  const asked = projectMessage(deps, foreign, sessionId, request);
  await expect(asked).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});
