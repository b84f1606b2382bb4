import {
  agentRequestSchema,
  agentSchema,
  createSessionRequestSchema,
  createTokenRequestSchema,
  deliveryPlanSchema,
  endTokensRequestSchema,
  idSchema,
  interruptRequestSchema,
  retargetRequestSchema,
  sessionPolicySchema,
  sessionSchema,
  uuidFromId,
} from '@attache/contracts';
import { listSessions, readSession } from '@attache/database';
import { z } from '@hono/zod-openapi';
import { formatCursor, parseCursor } from '../../log/cursor.ts';
import { interruptAgent } from '../../message/interrupt-agent.ts';
import { agentNotFound, sessionNotFound } from '../../not-found.ts';
import { addAgent } from '../../session/add-agent.ts';
import { createSession } from '../../session/create-session.ts';
import { createToken } from '../../session/create-token.ts';
import { endSession } from '../../session/end-session.ts';
import { endTokens } from '../../session/end-tokens.ts';
import { readPolicy } from '../../session/read-policy.ts';
import { removeAgent } from '../../session/remove-agent.ts';
import { retargetAgent } from '../../session/retarget-agent.ts';
import { addRoute, json } from '../add-route.ts';
import { answerOnce } from '../answer-once.ts';
import type { HttpApp, HttpDeps } from '../context.ts';
import { parseId } from '../gate.ts';

const listQuery = z.object({
  status: sessionSchema.shape.status.optional(),
  // The database takes no NUL, and no id of a platform holds one.
  externalId: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\0]*$/, 'must hold no NUL')
    .optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const sessionList = z.object({ items: z.array(sessionSchema), nextCursor: z.string().nullable() });

const MAX_AGENTS = 32;
const policyQuery = z.object({
  agents: z
    .string()
    .transform((list): unknown[] => list.split(','))
    .pipe(z.array(idSchema('agent')).min(1).max(MAX_AGENTS))
    .optional()
    .openapi({ type: 'string', description: 'Ids of agents with commas between them; all present ones without it.' }),
});

const policyAnswer = z.object({ policy: sessionPolicySchema.describe('What may be sent.') });
const sessionAnswer = z.object({ session: sessionSchema.describe('The session.') });
const agentAnswer = z.object({ agent: agentSchema.describe('The agent.') });
const retargetAnswer = agentAnswer.extend({ plans: z.array(deliveryPlanSchema) });
const tokenAnswer = z.object({ token: z.string().describe('The token. It is shown once.'), expiresAt: z.string() });

export function addReadingRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'listSessions', {
    summary: 'List the sessions of the tenant, newest first',
    query: listQuery,
    answers: { 200: json(sessionList, 'A page of sessions.') },
    async handle(c, { query: { cursor, ...query } }) {
      const after = cursor === undefined ? undefined : parseCursor(deps.signingKeys, cursor);
      const found = await deps.db.readAsTenant(c.get('caller').tenantId, (tx) =>
        listSessions(tx, { ...query, after, limit: query.limit + 1 }),
      );
      const items = found.slice(0, query.limit);
      const last = found.length > query.limit ? items.at(-1) : undefined;
      const position = last && { createdAt: new Date(last.createdAt), id: uuidFromId(last.id) };
      return c.json({ items, nextCursor: position ? formatCursor(deps.signingKeys, position) : null });
    },
  });
  addRoute(app, deps, 'readPolicy', {
    summary: 'What messages to agents of a session may hold, and what may be uploaded',
    query: policyQuery,
    answers: { 200: json(policyAnswer, 'The policy, as of now.') },
    async handle(c, { query: { agents } }) {
      return c.json({ policy: await readPolicy(deps, c.get('caller'), c.get('sessionId'), agents) });
    },
  });
  addRoute(app, deps, 'readSession', {
    summary: 'Read a session',
    answers: { 200: json(sessionAnswer, 'The session.') },
    async handle(c) {
      const session = await deps.db.readAsTenant(c.get('caller').tenantId, (tx) => readSession(tx, c.get('sessionId')));
      if (!session) throw sessionNotFound();
      return c.json({ session });
    },
  });
}

export function addSessionRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'createSession', {
    isRepeatable: true,
    summary: 'Make a session with its agents and participants',
    body: createSessionRequestSchema,
    answers: { 201: json(sessionAnswer, 'The new session.', 'SessionAnswer') },
    handle: (c, { body }) =>
      answerOnce(deps, c, { route: 'createSession', status: 201, body }, async (keep) => ({
        session: await createSession(deps, c.get('caller'), body, keep),
      })),
  });
  addRoute(app, deps, 'endSession', {
    summary: 'End a session: stops its agents and cleans what they kept',
    answers: { 202: { description: 'Ended; the agents are being stopped.' } },
    async handle(c) {
      await endSession(deps, c.get('caller'), c.get('sessionId'));
      return c.body(null, 202);
    },
  });
  addRoute(app, deps, 'createToken', {
    isRepeatable: true,
    summary: 'Make a token for one participant of this session',
    body: createTokenRequestSchema,
    answers: { 201: json(tokenAnswer, 'The token, shown once.') },
    handle: (c, { body }) =>
      answerOnce(deps, c, { route: 'createToken', status: 201, body }, (keep) =>
        createToken(deps, c.get('caller'), c.get('sessionId'), body, keep),
      ),
  });
  addRoute(app, deps, 'endTokens', {
    summary: 'End the tokens of this session, or of one participant',
    body: endTokensRequestSchema,
    isBodyOptional: true,
    answers: { 204: { description: 'Tokens that were made before are refused from now on.' } },
    async handle(c, { body }) {
      await endTokens(deps, c.get('caller'), c.get('sessionId'), body);
      return c.body(null, 204);
    },
  });
}

export function addAgentRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'addAgent', {
    isRepeatable: true,
    summary: 'Add an agent to a session',
    body: agentRequestSchema,
    answers: { 201: json(agentAnswer, 'The new agent.', 'AgentAnswer') },
    handle: (c, { body }) =>
      answerOnce(deps, c, { route: 'addAgent', status: 201, body }, async (keep) => ({
        agent: await addAgent(deps, c.get('caller'), c.get('sessionId'), body, keep),
      })),
  });
  addRoute(app, deps, 'retargetAgent', {
    summary: 'Give an agent another target; what was not written yet is planned again',
    body: retargetRequestSchema,
    answers: { 200: json(retargetAnswer, 'The agent, and the new plans of what waited for it.') },
    async handle(c, { body: { target } }) {
      const agentId = parseId('agent', c.req.param('agentId'), agentNotFound);
      return c.json(await retargetAgent(deps, c.get('caller'), { sessionId: c.get('sessionId'), agentId, target }));
    },
  });
  addRoute(app, deps, 'interruptAgent', {
    summary: 'Ask the turn that an agent is in to end',
    body: interruptRequestSchema,
    answers: { 202: { description: 'Asked, or there was no turn.' } },
    async handle(c, { body: { agentId } }) {
      await interruptAgent(deps, c.get('caller'), c.get('sessionId'), uuidFromId(agentId));
      return c.body(null, 202);
    },
  });
  addRoute(app, deps, 'removeAgent', {
    summary: 'Take an agent out of its session and stop it',
    answers: { 204: { description: 'Removed.' } },
    async handle(c) {
      const agentId = parseId('agent', c.req.param('agentId'), agentNotFound);
      await removeAgent(deps, c.get('caller'), c.get('sessionId'), agentId);
      return c.body(null, 204);
    },
  });
}
