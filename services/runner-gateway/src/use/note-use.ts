import { type AgentId, uuidFromId } from '@attache/contracts';
import type { RelayedRequest } from '@attache/model-relay';
import { estimateUse } from './estimate-use.ts';
import type { UseLedger } from './use-ledger.ts';

/** The limit for one agent: programs may name any model. */
const MAX_MODELS = 32;
const OTHER_MODELS = 'other';

export type UsingAgent = { tenantId: string; sessionId: string; agentId: AgentId; provider: string };

/** Keeps what an agent's requests used, as they end: each that left whole, an errand too, since its provider counts it. */
export function createUseNote(
  ledger: Pick<UseLedger, 'note'>,
  { tenantId, sessionId, agentId, provider }: UsingAgent,
): (record: RelayedRequest) => void {
  const named = new Set<string>();
  const nameModel = (asked = '') => {
    // No database takes half a character, nor a zero.
    const model = asked.toWellFormed().replaceAll('\0', '\ufffd');
    if (named.size < MAX_MODELS) named.add(model);
    return named.has(model) ? model : OTHER_MODELS;
  };
  return (record) => {
    const { kind, hasLeft, model, isCounted } = record;
    if (kind !== 'generate' || !hasLeft) return;
    const day = new Date().toISOString().slice(0, 10);
    ledger.note(tenantId, {
      ...{ day, sessionId, agentId: uuidFromId(agentId), provider, model: nameModel(model) },
      ...{ requests: 1, uncountedRequests: isCounted ? 0 : 1 },
      ...((isCounted ? record.usage : undefined) ?? estimateUse(record)),
    });
  };
}
