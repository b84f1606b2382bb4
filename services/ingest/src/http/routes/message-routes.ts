import {
  type DeliveryPlan,
  deliveryPlanSchema,
  deliverySchema,
  Fault,
  isFault,
  messageSchema,
  type PlanRequest,
  type ProjectionRequest,
  planRequestSchema,
  projectionPlanSchema,
  projectionRequestSchema,
  sendMessageRequestSchema,
  uuidFromId,
} from '@attache/contracts';
import { findMessage } from '@attache/database';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { assertMayHaveUrls } from '../../caller/caller.ts';
import { describeMessage } from '../../delivery/describe-message.ts';
import { discardInline, type InlineFile, storeInline } from '../../message/files/store-inline.ts';
import { filesIn, readWords, storeWords, type Words } from '../../message/files/take-out-of-words.ts';
import { planMessage } from '../../message/plan-message.ts';
import { type Projected, projectMessage } from '../../message/project-message.ts';
import { checkDraft, sendMessage } from '../../message/send-message.ts';
import { messageNotFound } from '../../not-found.ts';
import type { Keep } from '../../once/run-once.ts';
import { addRoute, json } from '../add-route.ts';
import { answerOnce } from '../answer-once.ts';
import { streamProjection } from '../bytes/stream-projection.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../context.ts';
import { admitToThing, parseId } from '../gate.ts';

const plansAnswer = z.object({ plans: z.array(deliveryPlanSchema) });
const readAnswer = z.object({
  message: messageSchema.describe('The message.'),
  deliveries: z.array(deliverySchema).describe('One delivery for each agent.'),
});
const sentAnswer = readAnswer.extend({
  leftOut: z
    .array(deliveryPlanSchema)
    .optional()
    .describe('Plans of the agents that get nothing, where the sender allowed it.'),
});
const projectionAnswer = z.object({
  parts: z
    .array(z.record(z.string(), z.unknown()))
    .describe('Blocks of one user message, in the format of the model API.'),
  plan: projectionPlanSchema.describe('What each attachment becomes.'),
});

/** Twelve megabytes of files in base64. Larger ones are uploaded. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const toUuids = (ids: readonly Parameters<typeof uuidFromId>[0][]): string[] => ids.map(uuidFromId);

type SendBody = z.output<typeof sendMessageRequestSchema>;

type SendInput = { body: SendBody; texts: ReadonlyMap<string, Uint8Array> };

/** Files as the body spells them. What was not cut out of it is short. */
const filesOf = ({ body, texts }: SendInput): InlineFile[] =>
  body.attachments.map(({ data, ...file }) => ({
    ...file,
    data: texts.get(data) ?? Buffer.from(JSON.stringify(data).slice(1, -1)),
  }));

// Nobody attached a file that was in the words: the refusal says how to send them as they are.
function nameWords(error: unknown, words: Words): unknown {
  if (!isFault(error) || error.code !== 'DELIVERY_BLOCKED' || filesIn(words).length === 0) return error;
  const hint = 'The text holds files. To send it as it is, set textMedia to "keep".';
  return new Fault(error.code, `${error.message} ${hint}`, error.details);
}

type RoutesDeps = HttpDeps & { baseUrl: () => string };

async function send(deps: RoutesDeps, c: Context<HttpEnv>, input: SendInput, keep: Keep) {
  const { body } = input;
  const caller = c.get('caller');
  const sessionId = c.get('sessionId');
  const draft = {
    to: toUuids(body.to),
    text: body.text,
    attachmentIds: toUuids(body.attachmentIds),
    isUnknownOverridden: body.overrideUnknown,
    isPartial: body.partial,
    keepsTextMedia: body.textMedia === 'keep',
  };
  const words = await readWords({ ...body, fileCount: body.attachments.length });
  if (body.attachments.length + filesIn(words).length > 0) await checkDraft(deps, caller, sessionId, draft);
  const inline = await storeInline(deps, caller, sessionId, filesOf(input));
  const stored = [...inline];
  try {
    const { text, attachments } = await storeWords(deps, caller, sessionId, words);
    stored.push(...attachments);
    const ids = stored.map(({ id }) => uuidFromId(id));
    return await sendMessage(
      deps,
      caller,
      sessionId,
      { ...draft, text, attachmentIds: [...draft.attachmentIds, ...ids] },
      keep,
    );
  } catch (error) {
    // Only messages that were surely refused: a commit whose answer was lost may have happened.
    if (isFault(error) && error.code !== 'DATABASE_UNAVAILABLE') await discardInline(deps, caller, stored);
    throw nameWords(error, words);
  }
}

/** Plans a message as it would be sent. Files in its words are there for the time of the plan. */
async function plan(deps: RoutesDeps, c: Context<HttpEnv>, body: PlanRequest): Promise<DeliveryPlan[]> {
  const caller = c.get('caller');
  const sessionId = c.get('sessionId');
  const words = await readWords({ ...body, fileCount: 0 });
  const { text, attachments } = await storeWords(deps, caller, sessionId, words);
  const attachmentIds = [...body.attachmentIds, ...attachments.map(({ id }) => id)].map((id) => uuidFromId(id));
  try {
    const { plans } = await planMessage(deps, caller, sessionId, { to: toUuids(body.to), text, attachmentIds });
    return plans;
  } finally {
    await discardInline(deps, caller, attachments);
  }
}

/** A file in the words stays an attachment of the session: the parts may name it by a URL. */
async function project(deps: RoutesDeps, c: Context<HttpEnv>, body: ProjectionRequest): Promise<Projected> {
  const caller = c.get('caller');
  const sessionId = c.get('sessionId');
  const words = await readWords({ ...body, fileCount: 0 });
  const { text, attachments } = await storeWords(deps, caller, sessionId, words);
  const ids = attachments.map(({ id }) => id);
  try {
    return await projectMessage(deps, caller, sessionId, {
      ...body,
      ...(body.text === undefined ? {} : { text }),
      ...(ids.length === 0 ? {} : { attachmentIds: [...(body.attachmentIds ?? []), ...ids] }),
    });
  } catch (error) {
    await discardInline(deps, caller, attachments);
    throw nameWords(error, words);
  }
}

export function addMessageRoutes(app: HttpApp, deps: HttpDeps, baseUrl: () => string): void {
  addRoute(app, deps, 'planMessage', {
    summary: 'What each named agent would get of a message, and why: a dry run',
    body: planRequestSchema,
    limits: { maxBytes: MAX_MESSAGE_BYTES },
    answers: { 200: json(plansAnswer, 'One plan for each agent.') },
    handle: async (c, { body }) => c.json({ plans: await plan({ ...deps, baseUrl }, c, body) }),
  });
  addRoute(app, deps, 'sendMessage', {
    isRepeatable: true,
    summary: 'Send a message to agents; any blocker refuses it whole',
    body: sendMessageRequestSchema,
    limits: { maxBytes: MAX_MESSAGE_BYTES, cut: { field: 'data', maxRestBytes: MAX_MESSAGE_BYTES } },
    answers: { 202: json(sentAnswer, 'Accepted, one delivery for each agent.') },
    handle: (c, { body, texts }) =>
      answerOnce(deps, c, { route: 'sendMessage', status: 202, body }, (keep) =>
        send({ ...deps, baseUrl }, c, { body, texts }, keep),
      ),
  });
  addRoute(app, deps, 'readMessage', {
    summary: 'Read a message, with its deliveries',
    answers: { 200: json(readAnswer, 'The message as it was accepted, and what became of it.') },
    async handle(c) {
      const caller = c.get('caller');
      const messageId = parseId('message', c.req.param('messageId'), messageNotFound);
      const answer = await deps.db.readAsTenant(caller.tenantId, async (tx) => {
        const found = await findMessage(tx, messageId);
        if (!found) throw messageNotFound();
        admitToThing('readMessage', caller, found.sessionId, messageNotFound);
        return describeMessage(tx, found);
      });
      return c.json(answer);
    },
  });
  addRoute(app, deps, 'projectMessage', {
    summary: 'The parts of a message in the format of a model API, for platforms that call one themselves',
    body: projectionRequestSchema,
    limits: { maxBytes: MAX_MESSAGE_BYTES },
    answers: { 200: json(projectionAnswer, 'The blocks of one user message, and the plan behind them.') },
    async handle(c, { body }) {
      const { format, bytes } = body;
      const { tenantId, urls } = c.get('caller');
      if (bytes === 'url') assertMayHaveUrls(c.get('caller'));
      const projected = await project({ ...deps, baseUrl }, c, body);
      const serving = { tenantId, tenantGeneration: urls.tenantGeneration, format, bytes };
      return streamProjection({ ...deps, baseUrl: baseUrl(), ...serving }, projected);
    },
  });
}
