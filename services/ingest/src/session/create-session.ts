import { randomUUID } from 'node:crypto';
import { type CreateSessionRequest, Fault, type Session, type Target, type TargetRequest } from '@attache/contracts';
import {
  appendEvents,
  insertAgent,
  insertParticipant,
  insertSession,
  type NewEvent,
  readSession,
  type Tx,
  upsertUser,
} from '@attache/database';
import { resolveTarget } from '@attache/domain';
import { assertMayGive, type Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { Keep } from '../once/run-once.ts';

/** The target that a request names, or a `TARGET_UNKNOWN` fault with what to do. */
export function resolveTargetOrRefuse(deps: Pick<IngestDeps, 'profiles'>, request: TargetRequest): Target {
  const resolved = resolveTarget(deps.profiles, request);
  if (resolved.ok) return resolved.target;
  throw new Fault('TARGET_UNKNOWN', resolved.message);
}

function refuseDoubleNames(request: CreateSessionRequest): void {
  const names = request.agents.map((agent) => agent.name);
  if (new Set(names).size < names.length) {
    throw new Fault(
      'INVALID_REQUEST',
      'Two agents have the same name. Give each agent of a session a name of its own.',
    );
  }
}

async function addParticipants(
  tx: Tx,
  tenantId: string,
  sessionId: string,
  request: CreateSessionRequest,
): Promise<void> {
  // Always in one order: two sessions that name the same users wait for each other's rows.
  const participants = (request.participants ?? []).toSorted((a, b) => (a.externalUserId < b.externalUserId ? -1 : 1));
  for (const { externalUserId, rights } of participants) {
    const userId = await upsertUser(tx, { tenantId, externalUserId });
    await insertParticipant(tx, { tenantId, sessionId, userId, rights });
  }
}

/** Makes a session with its agents and participants. Nobody gives a participant a right that they lack (BX-09). */
export async function createSession(
  deps: Pick<IngestDeps, 'db' | 'profiles'>,
  caller: Caller,
  request: CreateSessionRequest,
  keep: Keep,
): Promise<Session> {
  refuseDoubleNames(request);
  assertMayGive(
    caller,
    (request.participants ?? []).flatMap(({ rights }) => rights),
  );
  const { tenantId, actor } = caller;
  const targets = request.agents.map((agent) => resolveTargetOrRefuse(deps, agent.target));
  const sessionId = randomUUID();
  const createdAt = new Date();
  return deps.db.asTenant(tenantId, async (tx) => {
    await insertSession(tx, {
      tenantId,
      id: sessionId,
      externalId: request.externalId ?? null,
      replayPolicy: request.replayPolicy ?? { originals: 'none' },
      conversions: request.conversions ?? 'allow',
      metadata: request.metadata ?? {},
      createdAt,
    });
    await addParticipants(tx, tenantId, sessionId, request);
    const events: NewEvent[] = [];
    for (const [index, agent] of request.agents.entries()) {
      const target = targets[index] as Target;
      // One millisecond apart, so that agents keep the order in which they were named.
      const agentCreatedAt = new Date(createdAt.getTime() + index);
      const { name, role } = agent;
      const added = await insertAgent(tx, {
        tenantId,
        id: randomUUID(),
        sessionId,
        name,
        role,
        target,
        createdAt: agentCreatedAt,
      });
      events.push({ kind: 'agent.added', actor, data: { agentId: added.id, name, role, target } });
    }
    const session = await readSession(tx, sessionId);
    if (!session) throw new Error('a session is not there after its insert');
    await keep.inTransaction(tx, { session });
    const agentIds = session.agents.map((agent) => agent.id);
    await appendEvents(tx, sessionId, [{ kind: 'session.created', actor, data: { agentIds } }, ...events]);
    return session;
  });
}
