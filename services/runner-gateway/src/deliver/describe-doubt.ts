import { type Failure, idFromUuid, type Receipt } from '@attache/contracts';
import type { AgentRow } from '@attache/database';
import { isAccepted } from '@attache/domain';
import type { ModelCalls } from './compose-receipt.ts';

type EndedTurn = { stopReason: string; modelCalls: ModelCalls; lacksTools: boolean };

/** A warning for a turn that ended well on its program's word, although its model was not asked, or could not open what was attached. */
export function describeDoubt(
  { agent }: { agent: Pick<AgentRow, 'id' | 'provider' | 'model'> },
  { stopReason, modelCalls, lacksTools }: EndedTurn,
  { items }: Pick<Receipt, 'items'>,
): Failure | undefined {
  const facts = {
    severity: 'warning',
    agentId: idFromUuid('agent', agent.id),
    provider: agent.provider,
    model: agent.model,
    retryable: false,
  } as const;
  const unasked = stopReason === 'end_turn' ? findUnasked(modelCalls) : undefined;
  if (unasked !== undefined)
    return { ...facts, code: 'delivery_runtime_transport_failed', userMessage: UNASKED, diagnostic: unasked };
  const isUnopened = items.some(({ form, sha256 }) => form === 'tool' && sha256 === undefined);
  if (!lacksTools || !isUnopened) return undefined;
  return { ...facts, code: 'attachment_runtime_unsupported', userMessage: UNOPENED, diagnostic: NOT_LISTED };
}

const UNASKED =
  "The agent answered, but nothing of this turn reached its model: the answer is its program's own. Read it, and have the operator check how the program finds its model.";
const UNOPENED =
  'The agent answered, but its program has not asked for the tools that open files, so its model may not have seen what was attached. Send it in another form, or to another agent.';
const NOT_LISTED = 'the program has not listed the tools of the MCP server attache';

/** Why it is known that a turn's model was not asked. A request that has not ended may still be answered. */
function findUnasked(calls: ModelCalls): string | undefined {
  if (calls.by === 'program')
    return calls.hasConnected === false ? 'no connection left the sandbox during the turn' : undefined;
  if (calls.by === 'nobody') return undefined;
  const { requests, use } = calls.evidence.turn;
  if (requests.some(({ hasEnded }) => !hasEnded)) return undefined;
  if (use.requests === 0) return 'no request of the turn left for its model';
  const own = requests.flatMap(({ request }) => request ?? []);
  return own.length > 0 && !own.some(isAccepted) ? 'the model API accepted no request of the turn' : undefined;
}
