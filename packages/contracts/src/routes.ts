import type { Right } from './access/rights.ts';

/**
 * Which credential and which right each public route needs. The gate reads this table; a route that is not in it does not exist.
 * `tenant` = an API key; `key` = the same, for the named key; `profile` = the same, for the operator's profile of the path; `secret` = the same, for the tenant's secret of that name; `session` = the caller must see the session of the path,
 * `attachment`/`message`/`delivery` = that of the named thing; `signature` = the URL itself.
 */
export const routes = {
  createSession: { method: 'post', path: '/sessions', gate: 'tenant', right: 'sessions:manage' },
  listSessions: { method: 'get', path: '/sessions', gate: 'tenant', right: 'events:read' },
  readSession: { method: 'get', path: '/sessions/{sessionId}', gate: 'session', right: 'events:read' },
  readPolicy: { method: 'get', path: '/sessions/{sessionId}/policy', gate: 'session', right: 'attachments:read' },
  endSession: { method: 'post', path: '/sessions/{sessionId}/end', gate: 'session', right: 'sessions:manage' },
  createToken: { method: 'post', path: '/sessions/{sessionId}/tokens', gate: 'session', right: 'sessions:manage' },
  endTokens: { method: 'delete', path: '/sessions/{sessionId}/tokens', gate: 'session', right: 'sessions:manage' },
  addAgent: { method: 'post', path: '/sessions/{sessionId}/agents', gate: 'session', right: 'sessions:manage' },
  removeAgent: {
    method: 'delete',
    path: '/sessions/{sessionId}/agents/{agentId}',
    gate: 'session',
    right: 'sessions:manage',
  },
  listEvents: { method: 'get', path: '/sessions/{sessionId}/events', gate: 'session', right: 'events:read' },
  readTranscript: { method: 'get', path: '/sessions/{sessionId}/transcript', gate: 'session', right: 'events:read' },
  uploadMultipart: {
    method: 'post',
    path: '/sessions/{sessionId}/attachments',
    gate: 'session',
    right: 'attachments:write',
  },
  uploadRaw: { method: 'put', path: '/sessions/{sessionId}/attachments', gate: 'session', right: 'attachments:write' },
  listAttachments: {
    method: 'get',
    path: '/sessions/{sessionId}/attachments',
    gate: 'session',
    right: 'attachments:read',
  },
  readAttachment: {
    method: 'get',
    path: '/attachments/{attachmentId}',
    gate: 'attachment',
    right: 'attachments:read',
  },
  deleteAttachment: {
    method: 'delete',
    path: '/attachments/{attachmentId}',
    gate: 'attachment',
    right: 'attachments:delete',
  },
  endQuarantine: {
    method: 'delete',
    path: '/sessions/{sessionId}/attachments/{attachmentId}/quarantine',
    gate: 'session',
    right: 'overrides:manage',
  },
  createUrl: { method: 'post', path: '/attachments/{attachmentId}/urls', gate: 'attachment', right: 'urls:create' },
  createSessionUrls: { method: 'post', path: '/sessions/{sessionId}/urls', gate: 'session', right: 'urls:create' },
  endUrls: { method: 'delete', path: '/attachments/{attachmentId}/urls', gate: 'attachment', right: 'urls:create' },
  readRaw: { method: 'get', path: '/attachments/{attachmentId}/raw', gate: 'signature', right: undefined },
  retargetAgent: {
    method: 'patch',
    path: '/sessions/{sessionId}/agents/{agentId}',
    gate: 'session',
    right: 'sessions:manage',
  },
  createGrant: { method: 'post', path: '/sessions/{sessionId}/grants', gate: 'session', right: 'grants:manage' },
  revokeGrant: {
    method: 'delete',
    path: '/sessions/{sessionId}/grants/{grantId}',
    gate: 'session',
    right: 'grants:manage',
  },
  interruptAgent: { method: 'post', path: '/sessions/{sessionId}/interrupt', gate: 'session', right: 'messages:send' },
  planMessage: { method: 'post', path: '/sessions/{sessionId}/plan', gate: 'session', right: 'messages:send' },
  sendMessage: { method: 'post', path: '/sessions/{sessionId}/messages', gate: 'session', right: 'messages:send' },
  projectMessage: {
    method: 'post',
    path: '/sessions/{sessionId}/projections',
    gate: 'session',
    right: 'messages:send',
  },
  readMessage: { method: 'get', path: '/messages/{messageId}', gate: 'message', right: 'events:read' },
  readDelivery: { method: 'get', path: '/deliveries/{deliveryId}', gate: 'delivery', right: 'events:read' },
  retryDelivery: { method: 'post', path: '/deliveries/{deliveryId}/retry', gate: 'delivery', right: 'messages:send' },
  cancelDelivery: { method: 'post', path: '/deliveries/{deliveryId}/cancel', gate: 'delivery', right: 'messages:send' },
  readCapability: { method: 'get', path: '/capabilities', gate: 'tenant', right: 'attachments:read' },
  saveOverride: {
    method: 'put',
    path: '/capability-overrides/{profile}/{model}',
    gate: 'profile',
    right: 'overrides:manage',
  },
  deleteOverride: {
    method: 'delete',
    path: '/capability-overrides/{profile}/{model}',
    gate: 'profile',
    right: 'overrides:manage',
  },
  createKey: { method: 'post', path: '/keys', gate: 'tenant', right: 'keys:manage' },
  listKeys: { method: 'get', path: '/keys', gate: 'tenant', right: 'keys:manage' },
  rotateKey: { method: 'post', path: '/keys/{keyId}/rotate', gate: 'key', right: 'keys:manage' },
  revokeKey: { method: 'delete', path: '/keys/{keyId}', gate: 'key', right: 'keys:manage' },
  listSecrets: { method: 'get', path: '/secrets', gate: 'tenant', right: 'tenant:manage' },
  saveSecret: { method: 'put', path: '/secrets/{name}', gate: 'secret', right: 'tenant:manage' },
  deleteSecret: { method: 'delete', path: '/secrets/{name}', gate: 'secret', right: 'tenant:manage' },
  readUse: { method: 'get', path: '/usage', gate: 'tenant', right: 'tenant:manage' },
  listAudit: { method: 'get', path: '/audit', gate: 'tenant', right: 'tenant:manage' },
} as const satisfies Record<string, RouteRule>;

export type RouteRule = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  gate: 'tenant' | 'key' | 'profile' | 'secret' | 'session' | 'attachment' | 'message' | 'delivery' | 'signature';
  right: Right | undefined;
};

export type RouteName = keyof typeof routes;
