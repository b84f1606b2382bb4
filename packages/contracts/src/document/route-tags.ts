import type { RouteName } from '../routes.ts';

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

/** Under what a reader looks for each route. */
export const routeTags: Readonly<Record<RouteName, RouteTag>> = {
  createSession: 'Sessions',
  listSessions: 'Sessions',
  readSession: 'Sessions',
  readPolicy: 'Sessions',
  endSession: 'Sessions',
  createToken: 'Sessions',
  endTokens: 'Sessions',
  addAgent: 'Agents',
  retargetAgent: 'Agents',
  interruptAgent: 'Agents',
  removeAgent: 'Agents',
  listEvents: 'Events',
  readTranscript: 'Events',
  uploadMultipart: 'Attachments',
  uploadRaw: 'Attachments',
  listAttachments: 'Attachments',
  readAttachment: 'Attachments',
  deleteAttachment: 'Attachments',
  endQuarantine: 'Attachments',
  createUrl: 'Attachments',
  createSessionUrls: 'Attachments',
  endUrls: 'Attachments',
  readRaw: 'Attachments',
  planMessage: 'Messages',
  sendMessage: 'Messages',
  projectMessage: 'Messages',
  readMessage: 'Messages',
  readDelivery: 'Deliveries',
  retryDelivery: 'Deliveries',
  cancelDelivery: 'Deliveries',
  readCapability: 'Capabilities',
  saveOverride: 'Capabilities',
  deleteOverride: 'Capabilities',
  createGrant: 'Access',
  revokeGrant: 'Access',
  createKey: 'Access',
  listKeys: 'Access',
  rotateKey: 'Access',
  revokeKey: 'Access',
  listSecrets: 'Access',
  saveSecret: 'Access',
  deleteSecret: 'Access',
  readUse: 'Account',
  listAudit: 'Account',
};
