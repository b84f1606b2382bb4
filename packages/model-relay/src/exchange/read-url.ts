/** The agent whose endpoint a request names, and what it asks for below it. */
export type RelayUrl = { readonly agentId: string; readonly path: string; readonly search: string };

const HIDDEN = /%2e|%2f|%5c|%00|[\\#\s]|(?:^|\/)\.\.?(?:\/|$)|^\/\//i;

/** Undefined if the URL is absolute, or spelled so that two readers could take it for different paths. */
export function readUrl(url: string): RelayUrl | undefined {
  const [whole = '', ...query] = url.split('?');
  const parts = /^\/([^/]*)(\/.*)?$/.exec(whole);
  if (parts === null || HIDDEN.test(whole)) return undefined;
  const [, agentId = '', path = ''] = parts;
  return HIDDEN.test(path) ? undefined : { agentId, path, search: query.length === 0 ? '' : `?${query.join('?')}` };
}
