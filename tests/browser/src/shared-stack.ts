import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Right } from '@attache/contracts';
import { type Api, awaitCarried, copyTemplateFolder, openTenant, spawnStack } from '@attache/test-harness';
import { inject } from 'vitest';

/** Starts an embedded stack that pages of these origins may call. Its limits of rates are off. */
export async function startSharedStack(origins: readonly string[]) {
  const dataDir = await copyTemplateFolder();
  const stack = await spawnStack(dataDir, {
    ATTACHE_CORS_ORIGINS: origins.join(','),
    ATTACHE_RATE_PER_KEY: '0',
    ATTACHE_RATE_PER_TENANT: '0',
  });
  await awaitCarried(stack.api, ['example']);
  return {
    url: stack.url,
    dataDir,
    async stop() {
      await stack.end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A tenant of the suite's own on the stack that all browser suites share. */
export const openBrowserTenant = (): Promise<Api> => openTenant(inject('browser').stack);

export type Participant = { sessionId: string; agentId: string; token: string };

const participantRights: readonly Right[] = [
  'attachments:read',
  'attachments:write',
  'attachments:delete',
  'messages:send',
  'events:read',
  'urls:create',
];

/** A session with the example agent, and the token of a participant who may do all that participants may. */
export async function openParticipant(api: Api): Promise<Participant> {
  const { session, agent } = await api.createSession();
  const { status, body } = await api.call<{ token: string }>('POST', `/sessions/${session.id}/tokens`, {
    body: { externalUserId: randomUUID(), rights: participantRights, ttlSeconds: 3_600 },
  });
  if (status !== 201) throw new Error(`no token was made: ${JSON.stringify(body)}`);
  return { sessionId: session.id, agentId: agent.id, token: body.token };
}
