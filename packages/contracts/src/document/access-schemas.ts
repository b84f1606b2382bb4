import agent from '../../golden/v1/dto.agent.json' with { type: 'json' };
import apiKey from '../../golden/v1/dto.api-key.json' with { type: 'json' };
import auditEntry from '../../golden/v1/dto.audit-entry.key.json' with { type: 'json' };
import grant from '../../golden/v1/dto.grant.json' with { type: 'json' };
import session from '../../golden/v1/dto.session.json' with { type: 'json' };
import useReport from '../../golden/v1/dto.use-report.day.json' with { type: 'json' };
import { actorSchema } from '../access/actor.ts';
import * as keys from '../access/api-key.ts';
import { createGrantRequestSchema, grantRightSchema, grantSchema } from '../access/grant.ts';
import { rightSchema, scopeSchema } from '../access/rights.ts';
import { saveSecretRequestSchema, tenantSecretSchema } from '../access/tenant-secret.ts';
import * as audit from '../operator/audit.ts';
import { useReportSchema } from '../operator/use-report.ts';
import * as sessions from '../session/session.ts';
import { projectionFormatSchema, runtimeSchema, targetRequestSchema, targetSchema } from '../session/target.ts';
import type { NamedSchemas } from './named-schema.ts';
import * as requests from './request-examples.ts';

const [keyActor, userActor, agentActor, serviceActor] = actorSchema.options;
const operatorActor = audit.auditActorSchema.options[4];
const [dayReport, sessionReport, modelReport] = useReportSchema.options;

/** Sessions, agents and targets. */
export const sessionSchemas: NamedSchemas = {
  Session: { schema: sessions.sessionSchema, description: 'One conversation, with its agents.', examples: [session] },
  CreateSessionRequest: {
    schema: sessions.createSessionRequestSchema,
    description: 'A new session, with its agents and the people who may take part.',
    examples: [requests.createSession],
  },
  Participant: { schema: sessions.participantRequestSchema, description: 'A user of yours who may take part.' },
  Agent: { schema: sessions.agentSchema, description: 'A named agent of a session.', examples: [agent] },
  AgentRequest: { schema: sessions.agentRequestSchema, description: 'A new agent.', examples: [requests.addAgent] },
  AgentRole: { schema: sessions.agentRoleSchema, description: 'What the agent is to the others of its session.' },
  AgentStatus: { schema: sessions.agentStatusSchema, description: 'What the agent does just now.' },
  ReplayPolicy: {
    schema: sessions.replayPolicySchema,
    description: 'How long what the system itself sends again keeps original files.',
  },
  Conversions: {
    schema: sessions.conversionsSchema,
    description: 'Whether files may be converted to what a model takes. `deny`: a file that would be is blocked.',
  },
  Target: { schema: targetSchema, description: 'What an agent is: a profile resolved to runtime, provider and model.' },
  TargetRequest: { schema: targetRequestSchema, description: 'Which profile and model an agent is to be.' },
  Runtime: { schema: runtimeSchema, description: 'The protocol by which an agent program is spoken to.' },
  ProjectionFormat: { schema: projectionFormatSchema, description: 'The format of a model API.' },
  RetargetRequest: {
    schema: sessions.retargetRequestSchema,
    description: 'Another target for an agent.',
    examples: [requests.retarget],
  },
  InterruptRequest: {
    schema: sessions.interruptRequestSchema,
    description: 'Which agent’s turn is to end.',
    examples: [requests.interrupt],
  },
};

/** Who calls and acts, and with which right. */
export const accessSchemas: NamedSchemas = {
  CreateTokenRequest: {
    schema: sessions.createTokenRequestSchema,
    description: 'A token for one participant of the session.',
    examples: [requests.createToken],
  },
  EndTokensRequest: {
    schema: sessions.endTokensRequestSchema,
    description: 'Whose tokens end: those of one participant, or all of the session.',
    examples: [requests.endTokens],
  },
  Right: { schema: rightSchema, description: 'What a session token or a participant may do.' },
  Scope: { schema: scopeSchema, description: 'A named set of rights of an API key. Each holds those behind it.' },
  Actor: { schema: actorSchema, description: 'Who did it. A service acts for the system itself.' },
  KeyActor: { schema: keyActor, description: 'An API key.' },
  UserActor: { schema: userActor, description: 'A participant, by a session token.' },
  AgentActor: { schema: agentActor, description: 'An agent.' },
  ServiceActor: { schema: serviceActor, description: 'A service of Attaché.' },
  AuditActor: { schema: audit.auditActorSchema, description: 'Whoever acts, the operator of the platform too.' },
  OperatorActor: { schema: operatorActor, description: 'The operator of the platform.' },
  AuditAction: { schema: audit.auditActionSchema, description: 'What was done.' },
  AuditEntry: {
    schema: audit.auditEntrySchema,
    description: 'One entry of the tenant’s audit log. It holds ids, counts and short words.',
    examples: [auditEntry],
  },
  ApiKey: { schema: keys.apiKeySchema, description: 'An API key without its secret.', examples: [apiKey] },
  ApiKeyStatus: { schema: keys.apiKeyStatusSchema, description: 'Whether the key works.' },
  NewApiKey: { schema: keys.newApiKeySchema, description: 'A key with its secret, which is in this answer alone.' },
  CreateKeyRequest: {
    schema: keys.createKeyRequestSchema,
    description: 'A new API key.',
    examples: [requests.createKey],
  },
  RotateKeyRequest: {
    schema: keys.rotateKeyRequestSchema,
    description: 'How a key is replaced.',
    examples: [requests.rotateKey],
  },
  Grant: { schema: grantSchema, description: 'The right of an agent to an attachment.', examples: [grant] },
  GrantRight: { schema: grantRightSchema, description: 'What the agent may do with the attachment.' },
  CreateGrantRequest: {
    schema: createGrantRequestSchema,
    description: 'A new grant.',
    examples: [requests.createGrant],
  },
  TenantSecret: { schema: tenantSecretSchema, description: 'A secret without its value, which no answer holds.' },
  SaveSecretRequest: {
    schema: saveSecretRequestSchema,
    description: 'The value of a secret.',
    examples: [requests.saveSecret],
  },
  UseReport: { schema: useReportSchema, description: 'What the tenant has used, by one of three keys.' },
  UseReportByDay: { schema: dayReport, description: 'Sums of each day.', examples: [useReport] },
  UseReportBySession: { schema: sessionReport, description: 'Sums of each session.' },
  UseReportByModel: { schema: modelReport, description: 'Sums of each model.' },
  UseOfDay: { schema: dayReport.shape.items.element, description: 'The sums of a day in UTC.' },
  UseOfSession: { schema: sessionReport.shape.items.element, description: 'The sums of a session.' },
  UseOfModel: { schema: modelReport.shape.items.element, description: 'The sums of a model.' },
};
