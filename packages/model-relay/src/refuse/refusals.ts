import type { RefusalCode } from '../relay-types.ts';

export type Refusal = { readonly status: number; readonly message: string };

/** The relay's own responses. A refused errand is a 403: after a 400, one program makes four requests. */
export const refusals: Readonly<Record<RefusalCode, Refusal>> = {
  relay_token_refused: {
    status: 401,
    message:
      'This token does not open this endpoint. Send the token that the agent was started with as the API key, in a header; after a restart of the agent it is another one.',
  },
  relay_url_refused: {
    status: 400,
    message: 'The URL or the Host is none that the relay takes. Use the base URL that the agent was started with.',
  },
  relay_path_unknown: {
    status: 404,
    message:
      'The relay passes the paths on by which a model is asked, and no other. Use one of the API that the profile names.',
  },
  relay_method_refused: { status: 405, message: 'This path takes another method.' },
  relay_websocket_refused: { status: 426, message: 'The relay carries no WebSocket. Send the request by HTTP POST.' },
  relay_encoding_refused: {
    status: 415,
    message: 'The body is encoded. Send it as plain JSON, without Content-Encoding, in one piece or chunked.',
  },
  relay_outside_turn: {
    status: 403,
    message: 'No turn of this agent runs, and this request is none that may be made between turns. Ask during a turn.',
  },
  relay_ownership_lost: {
    status: 503,
    message: 'Another gateway has this conversation by now. This agent will be stopped.',
  },
  relay_model_refused: {
    status: 403,
    message:
      'This agent may not ask this model. Use the model of its target, or let the operator add it to endpoint.models.',
  },
  relay_server_tool_refused: {
    status: 403,
    message:
      "The request asks for a tool that the provider runs. Leave it out, or let the operator add it to the profile's endpoint.serverTools.",
  },
  relay_field_refused: {
    status: 403,
    message:
      'The request holds a field that the relay does not pass on: it would have the provider fetch or find something, or it is not known. Leave it out. URLs of files pass if the operator allows them in endpoint.urlSources of the profile.',
  },
  relay_header_refused: {
    status: 403,
    message: 'The request has a header that names another host or account. The relay sends none on. Leave it out.',
  },
  relay_body_malformed: {
    status: 400,
    message: 'The body is not one JSON object with each key once and with a model. Send it so.',
  },
  relay_body_too_large: { status: 413, message: 'The request is larger than this model takes. Send less at once.' },
  relay_body_idle: { status: 408, message: 'The body of the request did not come to its end in time. Send it again.' },
  relay_too_many_requests: {
    status: 429,
    message: 'Too many requests of this agent or its tenant are under way. Wait until one of them ends.',
  },
  relay_spool_failed: {
    status: 503,
    message: 'The body of the request could not be kept until it was judged. The operator finds the reason in the log.',
  },
  relay_tenant_quota: {
    status: 429,
    message:
      "The tenant's tokens of this day are used. Ask again on the next day in UTC, or let the operator raise the limit.",
  },
  relay_provider_limited: {
    status: 429,
    message:
      'The provider takes no more requests under this key for now, and the wait is longer than the turn. Ask again when Retry-After says.',
  },
  // As a provider refuses one: a program then ends its turn instead of trying again.
  relay_key_missing: {
    status: 401,
    message:
      "The key of the model API is not there, or cannot be opened. Where the profile names a tenant's secret, save it; else the operator finds the reason in the log. Then send the message again.",
  },
  relay_key_unreadable: {
    status: 503,
    message: 'The key of the model API could not be read. The operator finds the reason in the log.',
  },
  relay_provider_timeout: { status: 504, message: 'The model API did not answer in time. Try again later.' },
  relay_provider_failed: {
    status: 502,
    message: 'The model API could not be reached, or broke the connection off. Try again later.',
  },
};
