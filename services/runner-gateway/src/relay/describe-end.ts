import type { RequestEnd } from '@attache/domain';
import type { ModelApi, RefusalCode, RelayedRequest } from '@attache/model-relay';

/** The relay's words for a provider that it could not ask to the end. */
const ofProvider: ReadonlySet<RefusalCode> = new Set(['relay_provider_failed', 'relay_provider_timeout']);

/** The end of a request to a model; undefined if its program left before, or the session has another owner. */
export function describeEnd(
  api: ModelApi,
  {
    refused,
    refusedField: field,
    answer,
    isWhole,
  }: Pick<RelayedRequest, 'refused' | 'refusedField' | 'answer' | 'isWhole'>,
): RequestEnd | undefined {
  if (refused === 'relay_ownership_lost') return undefined;
  if (refused !== undefined && ofProvider.has(refused)) return { as: answer?.hasBegun ? 'broken' : 'unreached' };
  if (refused !== undefined) return { as: 'kept-back', code: refused, field };
  if (answer === undefined || !isWhole) return undefined;
  const { refusal, retryAfterMs } = answer;
  return refusal === undefined ? { as: 'answered' } : { as: 'refused', api, refusal, retryAfterMs };
}
