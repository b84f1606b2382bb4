import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ToolDecision } from '@attache/agent-process';
import { isFault, uuidFromId } from '@attache/contracts';
import { readPermitted } from '@attache/database';
import { decideToolCall, idsToLookUp, type ScanOutcome, scanArguments, TOOL_CALL_DENIED } from '@attache/domain';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

const denied: ToolDecision = { decision: 'deny', reason: TOOL_CALL_DENIED };

/**
 * Whether every attachment that a call's arguments name may be used by its agent now: of its tenant and session, there, and granted.
 * One scan and one look-up for all of them; a call that cannot be scanned or looked up is denied, and no byte is read (AT-31).
 */
export async function checkToolCall(
  deps: Pick<OwningDeps, 'db' | 'log'>,
  session: SessionKey,
  agentId: string,
  input: unknown,
): Promise<ToolDecision> {
  const scanned = await scanInTurns(input);
  if (scanned.status === 'over-limit') return denied;
  const { candidates } = scanned;
  if (candidates.length === 0) return { decision: 'allow' };
  const ids = idsToLookUp(candidates);
  if (ids === undefined) return denied;
  try {
    const uuids = new Map(ids.map((id) => [uuidFromId(id), id]));
    const found = await readPermitted(deps.db, { ...session, agentId }, [...uuids.keys()]);
    const permitted = new Set([...found].flatMap((uuid) => uuids.get(uuid) ?? []));
    return decideToolCall({ candidates, permitted });
  } catch (error) {
    deps.log.warn({ code: isFault(error) ? error.code : 'INTERNAL' }, 'tool_call.not_checked');
    return denied;
  }
}

/** Scans a call; other work has its turn between the pieces of a large one. */
async function scanInTurns(input: unknown): Promise<ScanOutcome> {
  const scan = scanArguments(input);
  let step = scan.next();
  while (step.done !== true) {
    await nextTurn();
    step = scan.next();
  }
  return step.value;
}
