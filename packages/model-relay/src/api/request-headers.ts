/** Headers that programs send and that say nothing of where a request goes or who pays: those of all requests, of their HTTP libraries and their own. */
const passed: ReadonlySet<string> = new Set([
  ...['accept', 'accept-language', 'content-length', 'user-agent'],
  ...['anthropic-beta', 'anthropic-dangerous-direct-browser-access', 'anthropic-version', 'x-app'],
  ...['openai-beta', 'originator', 'session-id', 'session_id', 'thread-id', 'conversation_id', 'x-client-request-id'],
  ...['x-goog-api-client', 'x-openai-subagent', 'x-session-affinity', 'x-session-id', 'x-parent-session-id'],
  ...['x-codex-beta-features', 'x-codex-turn-metadata', 'x-codex-turn-state', 'x-codex-window-id'],
  ...['x-claude-code-session-id', 'x-openai-internal-codex-responses-lite'],
  ...['x-affinity', 'x-initiator', 'x-interaction-type'],
]);
/** Headers of the library that most programs use. */
const PASSED = /^x-stainless-[a-z0-9-]+$/;

/** Headers by which gateways and providers choose a host, an account or a credential. */
const REFUSED =
  /^(?:cookie|forwarded|openai-(?:organization|project)|x-goog-user-project|(?:x-portkey|helicone|x-litellm|cf-aig|x-bf|x-ai-gateway)-.+|x-(?:forwarded|original|rewrite)-.+|x-http-method.*|x-(?:target|upstream|base|api-base)(?:-.+)?)$/;

/** Whether the provider gets a header of the program. One that is on no list is left out. */
export const isPassedHeader = (name: string): boolean => passed.has(name) || PASSED.test(name);

/** The first header of a request for which it is refused, in small letters. */
export function findRefusedHeader(names: readonly string[]): string | undefined {
  return names.find((name) => REFUSED.test(name));
}
