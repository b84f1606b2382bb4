import { type Failure, type FailureCode, idFromUuid, isFault } from '@attache/contracts';
import type { AgentRow } from '@attache/database';

/** An agent that was not started, or not to its end. */
export type NotStarted = { status: 'failed'; failure: Failure };

export function startFailure(
  row: AgentRow,
  code: FailureCode,
  userMessage: string,
  diagnostic = `profile ${row.profile}, runtime ${row.runtime}`,
): NotStarted {
  const failure: Failure = {
    code,
    severity: 'error',
    agentId: idFromUuid('agent', row.id),
    provider: row.provider,
    model: row.model,
    userMessage,
    diagnostic,
    retryable: true,
  };
  return { status: 'failed', failure };
}

/** Without its key a program would only fail later, in words of its own (DL-57). */
export function keyMissing(row: AgentRow, error: unknown): NotStarted {
  const isNotSaved = isFault(error, 'SECRET_NOT_FOUND');
  if (!isNotSaved && !isFault(error, 'CONFIGURATION_INVALID')) throw error;
  const userMessage = isNotSaved
    ? error.message
    : `A key of the profile ${row.profile} is missing or cannot be read. Set it where the profile says, then retry.`;
  return startFailure(row, 'delivery_agent_auth_required', userMessage, `profile ${row.profile}: ${error.message}`);
}
