import { Fault, type Problem } from '@attache/contracts';
import { currentTrace } from '@attache/telemetry';

/** A few calls of the public HTTP surface, with the caller's trace. */
export type ApiClient = {
  post<T>(path: string, body: unknown): Promise<T>;
  get<T>(path: string): Promise<T>;
  put<T>(path: string, bytes: Uint8Array, contentType: string): Promise<T>;
  /** Data of the server-sent events of a session, in order. */
  follow(path: string, signal: AbortSignal): AsyncGenerator<{ kind: string; data: unknown }>;
};

async function refuse(response: Response): Promise<never> {
  const problem = (await response.json()) as Problem;
  throw new Fault(problem.code as Fault['code'], problem.detail, {
    failures: problem.failures ?? [],
    plans: problem.plans ?? [],
  });
}

export function createApiClient(baseUrl: string, apiKey: string): ApiClient {
  const call = async (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${baseUrl}/v1${path}`, {
      method,
      // A connection that is kept for the next call would hold up the end of the stack.
      headers: { authorization: `Bearer ${apiKey}`, connection: 'close', ...currentTrace(), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return response.ok ? response : refuse(response);
  };
  const json = { 'content-type': 'application/json' };
  return {
    post: async (path, body) => (await call('POST', path, JSON.stringify(body), json)).json() as never,
    get: async (path) => (await call('GET', path)).json() as never,
    put: async (path, bytes, contentType) =>
      (await call('PUT', path, new Uint8Array(bytes), { 'content-type': contentType })).json() as never,
    async *follow(path, signal) {
      const response = await fetch(`${baseUrl}/v1${path}`, {
        headers: { authorization: `Bearer ${apiKey}`, connection: 'close', accept: 'text/event-stream' },
        signal,
      });
      if (!response.ok || !response.body) await refuse(response);
      yield* parseEvents(response.body as ReadableStream<Uint8Array>);
    },
  };
}

async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<{ kind: string; data: unknown }> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const [kind, data] = [field('event'), field('data')];
      if (kind !== undefined && data !== undefined) yield { kind, data: JSON.parse(data) };
    }
  }
}
