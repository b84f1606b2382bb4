import type { ModelApi, RefusalCode } from '../relay-types.ts';
import { refusals } from './refusals.ts';

type Words = { readonly anthropic: string; readonly openai: string; readonly google: string };

const badRequest: Words = {
  anthropic: 'invalid_request_error',
  openai: 'invalid_request_error',
  google: 'INVALID_ARGUMENT',
};
const serverError: Words = { anthropic: 'api_error', openai: 'server_error', google: 'UNAVAILABLE' };
const timedOut: Words = { anthropic: 'timeout_error', openai: 'server_error', google: 'DEADLINE_EXCEEDED' };

/** How each API names an error of this status. */
const wordsByStatus: Readonly<Record<number, Words>> = {
  401: { anthropic: 'authentication_error', openai: 'authentication_error', google: 'UNAUTHENTICATED' },
  403: { anthropic: 'permission_error', openai: 'permission_error', google: 'PERMISSION_DENIED' },
  404: { anthropic: 'not_found_error', openai: 'invalid_request_error', google: 'NOT_FOUND' },
  408: timedOut,
  413: { ...badRequest, anthropic: 'request_too_large' },
  429: { anthropic: 'rate_limit_error', openai: 'rate_limit_error', google: 'RESOURCE_EXHAUSTED' },
  502: serverError,
  503: serverError,
  504: timedOut,
};

/** The body of an answer of the relay, in the shape of the API's own errors. `field`: the part of the request that is refused. */
export function writeErrorBody(api: ModelApi, code: RefusalCode, field?: string): string {
  const { status, message: text } = refusals[code];
  const message = field === undefined ? text : `${field}: ${text}`;
  const words = wordsByStatus[status] ?? badRequest;
  switch (api) {
    case 'anthropic':
      return JSON.stringify({ type: 'error', error: { type: words.anthropic, message } });
    case 'openai-responses':
    case 'openai-chat':
      return JSON.stringify({ error: { message, type: words.openai, param: field ?? null, code } });
    case 'google':
      return JSON.stringify({ error: { code: status, message, status: words.google } });
    default:
      return api satisfies never;
  }
}
