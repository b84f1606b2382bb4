import { randomUUID } from 'node:crypto';
import {
  Fault,
  idFromUuid,
  type Part,
  type PlanTarget,
  type ProjectionFormat,
  type ProjectionPlan,
  type ProjectionRequest,
  runtimeSchema,
  uuidFromId,
} from '@attache/contracts';
import { appendAudit, describeAgent, type Named, readNamed, type StoredAttachment } from '@attache/database';
import { announceAttachments, composeAtHand, planDelivery, resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { replayHistory } from '@attache/projections';
import { assertRight, type Caller } from '../caller/caller.ts';
import { agentNotFound, attachmentNotFound, sessionNotFound } from '../not-found.ts';
import { capabilityOfTarget, type PlanDeps } from '../session/plan-agent.ts';
import { readProjectionSource, type SourceMessage } from './projection-source.ts';
import { refuseEmpty } from './send-message.ts';
import { type WaitDeps, waitForInspection } from './wait-for-inspection.ts';
import { waitForParts } from './wait-for-parts.ts';

/** Parts for a model API, with the rows that are needed to write their bytes. */
export type Projected = {
  parts: Part[];
  plan: ProjectionPlan;
  attachments: StoredAttachment[];
  target: PlanTarget;
};

/** The provider whose models a format is for; undefined if its content depends on an agent. */
const providers: Record<ProjectionFormat, string | undefined> = {
  anthropic: 'anthropic',
  'openai-responses': 'openai',
  'openai-chat': 'openai',
  google: 'google',
  acp: undefined,
};

/** The agent's own model, or the named one of its provider; without an agent, the named one of the format's provider. */
function resolveProjectionTarget(request: ProjectionRequest, named: Named): PlanTarget {
  const { format, model } = request;
  const agent = named.agents[0] && describeAgent(named.agents[0]).target;
  if (request.to !== undefined && !agent) throw agentNotFound();
  const provider = providers[format];
  if (provider === undefined) {
    if (!agent)
      throw new Fault('INVALID_REQUEST', `The format ${format} needs \`to\`: what it holds depends on the agent.`);
    return { ...agent, model: model ?? agent.model };
  }
  const name = model ?? agent?.model;
  if (name === undefined) throw new Fault('INVALID_REQUEST', 'Name a model, or an agent in `to`.');
  return { profile: agent?.profile, runtime: format, provider: agent?.provider ?? provider, model: name };
}

type ProjectDeps = WaitDeps & PlanDeps;

function capabilityOf(
  deps: ProjectDeps,
  { runtime, profile, provider, model }: PlanTarget,
  { probes, overrides, contradictions }: Named,
) {
  const override = profile === undefined ? undefined : overrides.of({ profile, model });
  const { data: agentRuntime } = runtimeSchema.safeParse(runtime);
  if (agentRuntime !== undefined && profile !== undefined)
    return capabilityOfTarget(
      deps,
      { profile, runtime: agentRuntime, provider, model },
      { probes, override, contradictions },
    );
  const profileCapability = profile === undefined ? undefined : deps.profiles[profile]?.capability;
  const target = { profile, runtime, provider, model };
  const request = { target, declared: undefined, profileCapability, override, lineBytes: undefined };
  return resolveCapability(request, deps.catalog ?? catalog);
}

function refuseBlocked({ decision, failures, ...plan }: ProjectionPlan): void {
  if (decision === 'deliver') return;
  const reasons = [...new Set(failures.map(({ userMessage }) => userMessage))].join(' ');
  throw new Fault('DELIVERY_BLOCKED', `Nothing was made. ${reasons}`, {
    failures,
    plans: [{ ...plan, decision, failures }],
  });
}

/** The messages in their order, each with its own parts if the policy keeps them. */
function arrange(
  messages: readonly SourceMessage[],
  named: Named,
  made: ReadonlyMap<string, Part>,
  isHistory: boolean,
): Part[] {
  const described = new Map(named.attachments.map(({ attachment }) => [attachment.id, attachment]));
  const earlier = messages.map(({ text, attachmentIds, isKept }) => {
    const own = attachmentIds.flatMap((id) => described.get(id) ?? []);
    const parts: Part[] = [
      { type: 'text', text: announceAttachments(text, own) },
      ...own.flatMap(({ id }) => made.get(id) ?? []),
    ];
    return { text, attachments: own, ...(isKept ? { parts } : {}) };
  });
  return replayHistory(earlier, isHistory ? named.session.replayPolicy : { originals: 'untilCompaction' });
}

async function record(
  deps: ProjectDeps,
  caller: Caller,
  sessionId: string,
  request: ProjectionRequest,
  { plan, target }: Projected,
) {
  const forms: Record<string, number> = {};
  for (const { becomes } of plan.items) forms[becomes] = (forms[becomes] ?? 0) + 1;
  const { provider, model } = target;
  const data = { format: request.format, provider, model, bytes: request.bytes, ...forms };
  const { tenantId, actor } = caller;
  const subjectId = idFromUuid('session', sessionId);
  await deps.db.asTenant(tenantId, (tx) =>
    appendAudit(tx, { tenantId, actor, action: 'projection.made', subjectId, data }),
  );
}

type Place = Parameters<typeof readNamed>[1];

async function readPlace(deps: ProjectDeps, place: Place): Promise<Named> {
  const named = await readNamed(deps.db, place);
  if (!named) throw sessionNotFound();
  return named;
}

/** A draft may name present files of this session; one that is still being inspected is waited for. */
async function readDraftPlace(deps: ProjectDeps, caller: Caller, place: Place): Promise<Named> {
  const { sessionId, attachmentIds } = place;
  const named = await readPlace(deps, place);
  if (named.attachments.filter((stored) => stored.sessionId === sessionId).length < attachmentIds.length)
    throw attachmentNotFound();
  const pending = named.attachments.filter(({ attachment }) => attachment.status === 'pending').map(({ id }) => id);
  if (pending.length === 0) return named;
  await waitForInspection(deps, caller, sessionId, pending);
  return readPlace(deps, place);
}

/**
 * Projects a draft, or earlier messages under the session's replay policy, for a platform that calls a model API itself. Blocked
 * like a message; missing variants are made first. The projection is recorded before it leaves (SR-11).
 */
export async function projectMessage(
  deps: ProjectDeps,
  caller: Caller,
  sessionId: string,
  request: ProjectionRequest,
): Promise<Projected> {
  assertRight(caller, 'attachments:read');
  const { tenantId } = caller;
  const { messages, isHistory } = await readProjectionSource(deps, caller, sessionId, request);
  if (!isHistory) refuseEmpty({ text: messages[0]?.text ?? '', attachmentIds: messages[0]?.attachmentIds ?? [] });
  const ids = [...new Set(messages.flatMap(({ attachmentIds }) => attachmentIds))];
  const attachmentIds = ids.map(uuidFromId);
  const agentIds = request.to === undefined ? [] : [uuidFromId(request.to)];
  const place = { tenantId, sessionId, agentIds, attachmentIds };
  const named = await (isHistory ? readPlace(deps, place) : readDraftPlace(deps, caller, place));
  const target = resolveProjectionTarget(request, named);
  const described = new Map(named.attachments.map(({ attachment }) => [attachment.id as string, attachment]));
  const kept = messages.filter(({ isKept }) => isKept);
  const planned = [...new Set(kept.flatMap((message) => message.attachmentIds))].flatMap(
    (id) => described.get(id) ?? [],
  );
  const plan = planDelivery({
    ...(request.to === undefined ? {} : { agentId: request.to }),
    target,
    capability: capabilityOf(deps, target, named),
    text: kept.map(({ text }) => text).join('\n'),
    attachments: planned,
    conversions: named.session.conversions,
    resident: {},
    isUnknownOverridden: false,
  });
  refuseBlocked(plan);
  const atHand = composeAtHand(plan, planned);
  const itemParts = atHand
    ? { parts: atHand, attachments: named.attachments }
    : await waitForParts(deps, { tenantId, sessionId, id: randomUUID(), plan });
  const made = new Map(
    plan.items.map(({ attachmentId }, index) => [attachmentId as string, itemParts.parts[index] as Part]),
  );
  const parts = arrange(messages, named, made, isHistory);
  const projected = { parts, plan, attachments: itemParts.attachments, target };
  await record(deps, caller, sessionId, request, projected);
  return projected;
}
