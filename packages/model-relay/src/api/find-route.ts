import type { ModelApi, RequestKind } from '../relay-types.ts';

/** A path that may be asked, below the root of the endpoint and its version. */
type Route = {
  readonly kind: RequestKind;
  readonly method: 'GET' | 'POST';
  /** Its group is the model, where the path names one. */
  readonly path: RegExp;
  /** Parameters of the query that may be there, with what they may be. */
  readonly query: Readonly<Record<string, RegExp>>;
};

type ApiRoutes = { readonly version: RegExp; readonly routes: readonly Route[] };

/** The purpose of a request. `model` is set if the path names it; otherwise it is in the body. */
export type FoundRoute =
  | { readonly status: 'found'; readonly kind: RequestKind; readonly model: string | undefined }
  | { readonly status: 'unknown' }
  | { readonly status: 'wrong-method'; readonly allowed: 'GET' | 'POST' };

const WORD = /^[\w.:~+/=-]{0,512}$/;
const LIST = { limit: WORD, after: WORD, after_id: WORD, before_id: WORD, client_version: WORD };
const BETA = { beta: /^true$/ };
const MODEL = String.raw`([A-Za-z0-9][\w.:@+-]{0,127})`;

const models: Route = { kind: 'models', method: 'GET', path: /^\/models(?:\/[\w.:@+-]{1,128})?$/, query: LIST };

/** All that may be asked of each API. */
const apiRoutes: Readonly<Record<ModelApi, ApiRoutes>> = {
  anthropic: {
    version: /^\/v1(?=\/)/,
    routes: [
      { kind: 'generate', method: 'POST', path: /^\/messages$/, query: BETA },
      { kind: 'count-tokens', method: 'POST', path: /^\/messages\/count_tokens$/, query: BETA },
      { ...models, query: { ...LIST, ...BETA } },
    ],
  },
  'openai-responses': {
    version: /^\/v1(?=\/)/,
    routes: [
      { kind: 'generate', method: 'POST', path: /^\/responses$/, query: {} },
      { kind: 'generate', method: 'POST', path: /^\/responses\/compact$/, query: {} },
      { kind: 'count-tokens', method: 'POST', path: /^\/responses\/input_tokens$/, query: {} },
      models,
    ],
  },
  'openai-chat': {
    version: /^\/v1(?=\/)/,
    routes: [{ kind: 'generate', method: 'POST', path: /^\/chat\/completions$/, query: {} }, models],
  },
  google: {
    version: /^\/v1(?:beta|alpha)?(?=\/)/,
    routes: [
      {
        kind: 'generate',
        method: 'POST',
        path: new RegExp(`^/models/${MODEL}:(?:streamGenerateContent|generateContent)$`),
        query: { alt: /^(?:sse|json)$/ },
      },
      {
        kind: 'count-tokens',
        method: 'POST',
        path: new RegExp(`^/models/${MODEL}:countTokens$`),
        query: { alt: /^json$/ },
      },
      { ...models, path: /^\/models(?:\/[\w.@+-]{1,128})?$/, query: { pageSize: WORD, pageToken: WORD } },
    ],
  },
};

/** Finds the route of a path below the root of this API's endpoint. Anything that is not in the table is unknown, parameters included. */
export function findRoute(
  api: ModelApi,
  request: { method: string; path: string; query: URLSearchParams },
): FoundRoute {
  const { version, routes } = apiRoutes[api];
  const path = request.path.replace(version, '');
  const route = routes.find((each) => each.path.test(path) && isAllowedQuery(each, request.query));
  if (route === undefined) return { status: 'unknown' };
  // A program that probes for an endpoint learns no more than from any other path.
  if (request.method === 'HEAD') return { status: 'unknown' };
  if (request.method !== route.method) return { status: 'wrong-method', allowed: route.method };
  const model = route.kind === 'models' ? undefined : route.path.exec(path)?.[1];
  return { status: 'found', kind: route.kind, model };
}

/** The path of an endpoint without the version that programs add or leave away: `/api` of `/api/v1/`. */
export function readRoot(api: ModelApi, basePath: string): string {
  const path = basePath.replace(/\/+$/, '');
  const last = path.slice(path.lastIndexOf('/'));
  return apiRoutes[api].version.test(`${last}/`) ? path.slice(0, -last.length) : path;
}

/** The API that a path looks like, for a response to an unknown client. */
export function guessApi(path: string): ModelApi {
  if (path.includes('/v1beta') || path.includes(':')) return 'google';
  if (path.endsWith('/responses')) return 'openai-responses';
  return path.includes('/chat/') ? 'openai-chat' : 'anthropic';
}

function isAllowedQuery(route: Route, query: URLSearchParams): boolean {
  const names = [...query.keys()];
  if (new Set(names).size !== names.length) return false;
  return names.every((name) => Object.hasOwn(route.query, name) && route.query[name]?.test(query.get(name) ?? ''));
}
