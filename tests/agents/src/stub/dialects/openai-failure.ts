import type { ModelFailure } from './dialect.ts';

/** A failure as both of OpenAI's APIs put it. */
export function composeOpenAiFailure({ status, error }: ModelFailure) {
  const type = error?.type ?? typeOf(status);
  const code = error?.code ?? (status === 401 ? 'invalid_api_key' : status === 429 ? 'rate_limit_exceeded' : null);
  return { error: { message: error?.message ?? type, type, param: error?.named ?? null, code } };
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
