import { type DeliveryRow, readDeliveriesOfSession } from '@attache/database';
import type { AgentLanes } from '../deliver/agent-lanes.ts';
import type { RecordDeps } from '../deliver/record-delivery.ts';
import { settleLost } from '../deliver/settle-lost.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';

// A delivery is stranded if two looks in a row find it so: found within a minute, and never one that is just between two steps.
const PERIOD_MS = 20_000;

type Stranded = Map<string, string>;

const stateOf = ({ status, attempts, epoch }: DeliveryRow) => `${status} ${attempts} ${epoch}`;

/**
 * Looks for deliveries that stay `claimed` or `written` although no lane works on them, and settles them as after the loss of their
 * owner: in the sessions that had a lane since nothing was in progress in them. A quiet session costs nothing. Returns what it found to be looked at again.
 */
export async function settleStranded(
  deps: RecordDeps,
  lanes: Pick<AgentLanes, 'isUnderWay' | 'wake' | 'filterBusy' | 'noteQuiet'>,
  sessions: Pick<SessionRegistry, 'visit'>,
  seen: Stranded,
): Promise<Stranded> {
  const found: Stranded = new Map();
  for (const session of lanes.filterBusy(deps.ownership.held())) {
    using visit = await sessions.visit(session);
    if (!visit) continue;
    const rows = await deps.db.readAsTenant(session.tenantId, (tx) =>
      readDeliveriesOfSession(tx, session.sessionId, ['claimed', 'written']),
    );
    if (rows.length === 0) lanes.noteQuiet(session.sessionId);
    for (const row of rows.filter(({ id }) => !lanes.isUnderWay(id))) {
      if (seen.get(row.id) !== stateOf(row)) {
        found.set(row.id, stateOf(row));
        continue;
      }
      deps.log.warn({ deliveryId: row.id, status: row.status }, 'delivery.stranded');
      await settleLost(deps, session, row, 'owner-gone');
      lanes.wake(session, row.agentId);
    }
  }
  return found;
}

/** Looks for stranded deliveries from time to time. */
export function watchStranded(
  deps: RecordDeps,
  lanes: Pick<AgentLanes, 'isUnderWay' | 'wake' | 'filterBusy' | 'noteQuiet'>,
  sessions: Pick<SessionRegistry, 'visit'>,
): { stop(): Promise<void> } {
  let seen: Stranded = new Map();
  let looking: Promise<void> | undefined;
  const look = async () => {
    seen = await settleStranded(deps, lanes, sessions, seen);
  };
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) => deps.log.warn({ err: error }, 'stranded.not_looked_for'))
      .finally(() => {
        looking = undefined;
      });
  }, PERIOD_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
