import type { Right } from './access/rights.ts';

/**
 * Which credential and which right each public route needs. The gate reads this table; a route that is not in it does not exist.
 * `tenant` = an API key; `key` = the same, for the named key; `profile` = the same, for the operator's profile of the path; `secret` = the same, for the tenant's secret of that name; `session` = the caller must see the session of the path,
 * `attachment`/`message`/`delivery` = that of the named thing; `signature` = the URL itself.
 */
export const routes = {
  createSession: { method: 'post', path: '/sessions', gate: 'tenant', right: 'sessions:manage', tag: 'Sessions' },
  listSessions: { method: 'get', path: '/sessions', gate: 'tenant', right: 'events:read', tag: 'Sessions' },
  readSession: { method: 'get', path: '/sessions/{sessionId}', gate: 'session', right: 'events:read', tag: 'Sessions' },
  readPolicy: {
    method: 'get',
    path: '/sessions/{sessionId}/policy',
    gate: 'session',
    right: 'attachments:read',
    tag: 'Sessions',
  },
  endSession: {
    method: 'post',
    path: '/sessions/{sessionId}/end',
    gate: 'session',
    right: 'sessions:manage',
    tag: 'Sessions',
  },
  createToken: {
    method: 'post',
    path: '/sessions/{sessionId}/tokens',
    gate: 'session',
    right: 'sessions:manage',
    tag: 'Sessions',
  },
  endTokens: {
    method: 'delete',
    path: '/sessions/{sessionId}/tokens',
    gate: 'session',
    right: 'sessions:manage',
    tag: 'Sessions',
  },
  addAgent: {
    method: 'post',
    path: '/sessions/{sessionId}/agents',
    gate: 'session',
    right: 'sessions:manage',
    tag: 'Agents',
  },
  removeAgent: {
    method: 'delete',
    path: '/sessions/{sessionId}/agents/{agentId}',
    gate: 'session',
    right: 'sessions:manage',
    tag: 'Agents',
  },
  listEvents: {
    method: 'get',
    path: '/sessions/{sessionId}/events',
    gate: 'session',
    right: 'events:read',
    tag: 'Events',
  },
  readTranscript: {
    method: 'get',
    path: '/sessions/{sessionId}/transcript',
    gate: 'session',
    right: 'events:read',
    tag: 'Events',
  },
  createEventTicket: {
    method: 'post',
    path: '/sessions/{sessionId}/events/tickets',
    gate: 'session',
    right: 'events:read',
    tag: 'Events',
  },
  uploadMultipart: {
    method: 'post',
    path: '/sessions/{sessionId}/attachments',
    gate: 'session',
    right: 'attachments:write',
    tag: 'Attachments',
  },
  uploadRaw: {
    method: 'put',
    path: '/sessions/{sessionId}/attachments',
    gate: 'session',
    right: 'attachments:write',
    tag: 'Attachments',
  },
  listAttachments: {
    method: 'get',
    path: '/sessions/{sessionId}/attachments',
    gate: 'session',
    right: 'attachments:read',
    tag: 'Attachments',
  },
  readAttachment: {
    method: 'get',
    path: '/attachments/{attachmentId}',
    gate: 'attachment',
    right: 'attachments:read',
    tag: 'Attachments',
  },
  changeAttachment: {
    method: 'patch',
    path: '/attachments/{attachmentId}',
    gate: 'attachment',
    right: 'attachments:write',
    tag: 'Attachments',
  },
  deleteAttachment: {
    method: 'delete',
    path: '/attachments/{attachmentId}',
    gate: 'attachment',
    right: 'attachments:delete',
    tag: 'Attachments',
  },
  endQuarantine: {
    method: 'delete',
    path: '/sessions/{sessionId}/attachments/{attachmentId}/quarantine',
    gate: 'session',
    right: 'overrides:manage',
    tag: 'Attachments',
  },
  createUrl: {
    method: 'post',
    path: '/attachments/{attachmentId}/urls',
    gate: 'attachment',
    right: 'urls:create',
    tag: 'Attachments',
  },
  createSessionUrls: {
    method: 'post',
    path: '/sessions/{sessionId}/urls',
    gate: 'session',
    right: 'urls:create',
    tag: 'Attachments',
  },
  endUrls: {
    method: 'delete',
    path: '/attachments/{attachmentId}/urls',
    gate: 'attachment',
    right: 'urls:create',
    tag: 'Attachments',
  },
  readRaw: {
    method: 'get',
    path: '/attachments/{attachmentId}/raw',
    gate: 'signature',
    right: undefined,
    tag: 'Attachments',
  },
  retargetAgent: {
    method: 'patch',
    path: '/sessions/{sessionId}/agents/{agentId}',
    gate: 'session',
    right: 'sessions:manage',
    tag: 'Agents',
  },
  createGrant: {
    method: 'post',
    path: '/sessions/{sessionId}/grants',
    gate: 'session',
    right: 'grants:manage',
    tag: 'Access',
  },
  revokeGrant: {
    method: 'delete',
    path: '/sessions/{sessionId}/grants/{grantId}',
    gate: 'session',
    right: 'grants:manage',
    tag: 'Access',
  },
  interruptAgent: {
    method: 'post',
    path: '/sessions/{sessionId}/interrupt',
    gate: 'session',
    right: 'messages:send',
    tag: 'Agents',
  },
  planMessage: {
    method: 'post',
    path: '/sessions/{sessionId}/plan',
    gate: 'session',
    right: 'messages:send',
    tag: 'Messages',
  },
  sendMessage: {
    method: 'post',
    path: '/sessions/{sessionId}/messages',
    gate: 'session',
    right: 'messages:send',
    tag: 'Messages',
  },
  projectMessage: {
    method: 'post',
    path: '/sessions/{sessionId}/projections',
    gate: 'session',
    right: 'messages:send',
    tag: 'Messages',
  },
  readMessage: { method: 'get', path: '/messages/{messageId}', gate: 'message', right: 'events:read', tag: 'Messages' },
  readDelivery: {
    method: 'get',
    path: '/deliveries/{deliveryId}',
    gate: 'delivery',
    right: 'events:read',
    tag: 'Deliveries',
  },
  retryDelivery: {
    method: 'post',
    path: '/deliveries/{deliveryId}/retry',
    gate: 'delivery',
    right: 'messages:send',
    tag: 'Deliveries',
  },
  cancelDelivery: {
    method: 'post',
    path: '/deliveries/{deliveryId}/cancel',
    gate: 'delivery',
    right: 'messages:send',
    tag: 'Deliveries',
  },
  readCapability: {
    method: 'get',
    path: '/capabilities',
    gate: 'tenant',
    right: 'attachments:read',
    tag: 'Capabilities',
  },
  saveOverride: {
    method: 'put',
    path: '/capability-overrides/{profile}/{model}',
    gate: 'profile',
    right: 'overrides:manage',
    tag: 'Capabilities',
  },
  deleteOverride: {
    method: 'delete',
    path: '/capability-overrides/{profile}/{model}',
    gate: 'profile',
    right: 'overrides:manage',
    tag: 'Capabilities',
  },
  createKey: { method: 'post', path: '/keys', gate: 'tenant', right: 'keys:manage', tag: 'Access' },
  listKeys: { method: 'get', path: '/keys', gate: 'tenant', right: 'keys:manage', tag: 'Access' },
  rotateKey: { method: 'post', path: '/keys/{keyId}/rotate', gate: 'key', right: 'keys:manage', tag: 'Access' },
  revokeKey: { method: 'delete', path: '/keys/{keyId}', gate: 'key', right: 'keys:manage', tag: 'Access' },
  listSecrets: { method: 'get', path: '/secrets', gate: 'tenant', right: 'tenant:manage', tag: 'Access' },
  saveSecret: { method: 'put', path: '/secrets/{name}', gate: 'secret', right: 'tenant:manage', tag: 'Access' },
  deleteSecret: { method: 'delete', path: '/secrets/{name}', gate: 'secret', right: 'tenant:manage', tag: 'Access' },
  readOrigins: { method: 'get', path: '/cors-origins', gate: 'tenant', right: 'tenant:manage', tag: 'Access' },
  saveOrigins: { method: 'put', path: '/cors-origins', gate: 'tenant', right: 'tenant:manage', tag: 'Access' },
  readUse: { method: 'get', path: '/usage', gate: 'tenant', right: 'tenant:manage', tag: 'Account' },
  listAudit: { method: 'get', path: '/audit', gate: 'tenant', right: 'tenant:manage', tag: 'Account' },
} as const satisfies Record<string, RouteRule>;

export type RouteRule = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  gate: 'tenant' | 'key' | 'profile' | 'secret' | 'session' | 'attachment' | 'message' | 'delivery' | 'signature';
  right: Right | undefined;
  /** Under what a reader of the document looks for it. */
  tag: RouteTag;
};

export type RouteTag =
  | 'Sessions'
  | 'Agents'
  | 'Attachments'
  | 'Messages'
  | 'Deliveries'
  | 'Events'
  | 'Capabilities'
  | 'Access'
  | 'Account';

export type RouteName = keyof typeof routes;
