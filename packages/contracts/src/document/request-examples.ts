import type { z } from 'zod';
import type { createKeyRequestSchema, rotateKeyRequestSchema } from '../access/api-key.ts';
import type { createGrantRequestSchema } from '../access/grant.ts';
import type { saveSecretRequestSchema } from '../access/tenant-secret.ts';
import type { overrideRequestSchema } from '../delivery/capability.ts';
import type { planRequestSchema, projectionRequestSchema, sendMessageRequestSchema } from '../delivery/message.ts';
import type * as sessions from '../session/session.ts';

const agentId = 'agt_AZmhssPUfl-KawAAAAAAAg';
const attachmentId = 'att_AZmhssPUfl-KawAAAAAAAw';

// Bodies as callers send them.
export const createSession = {
  externalId: 'conversation-42',
  agents: [{ name: 'painter', role: 'lead', target: { profile: 'example' } }],
  participants: [{ externalUserId: 'user-7', rights: ['messages:send', 'attachments:write', 'events:read'] }],
  metadata: { team: 'design' },
} satisfies z.input<typeof sessions.createSessionRequestSchema>;

export const createToken = {
  externalUserId: 'user-7',
  rights: ['messages:send', 'attachments:write', 'events:read'],
  ttlSeconds: 3600,
} satisfies z.input<typeof sessions.createTokenRequestSchema>;

export const endTokens = { externalUserId: 'user-7' } satisfies z.input<typeof sessions.endTokensRequestSchema>;

export const addAgent = {
  name: 'critic',
  role: 'member',
  target: { profile: 'reviewer', model: 'claude-sonnet-5' },
} satisfies z.input<typeof sessions.agentRequestSchema>;

export const retarget = {
  target: { profile: 'example', model: 'example-text' },
} satisfies z.input<typeof sessions.retargetRequestSchema>;

export const interrupt = { agentId } satisfies z.input<typeof sessions.interruptRequestSchema>;

export const sendMessage = {
  to: [agentId],
  text: 'What is in this picture?',
  attachmentIds: [attachmentId],
} satisfies z.input<typeof sendMessageRequestSchema>;

export const planMessage = { to: [agentId], attachmentIds: [attachmentId] } satisfies z.input<typeof planRequestSchema>;

export const projectMessage = {
  format: 'anthropic',
  model: 'claude-sonnet-5',
  text: 'What is in this picture?',
  attachmentIds: [attachmentId],
  bytes: 'inline',
} satisfies z.input<typeof projectionRequestSchema>;

export const createKey = {
  name: 'backend',
  scopes: ['sessions'],
} satisfies z.input<typeof createKeyRequestSchema>;

export const rotateKey = { overlapSeconds: 3600 } satisfies z.input<typeof rotateKeyRequestSchema>;

export const createGrant = {
  attachmentId,
  agentId,
  rights: ['read'],
} satisfies z.input<typeof createGrantRequestSchema>;

export const saveSecret = { value: 'the key of a model API' } satisfies z.input<typeof saveSecretRequestSchema>;

export const saveOverride = {
  capability: { pdf: true, limits: { maxPages: 20 } },
  reason: 'Tried with ten files.',
} satisfies z.input<typeof overrideRequestSchema>;
