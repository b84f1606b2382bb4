export type SentRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  signal: AbortSignal | undefined;
};

/** The answer to one request; throwing means that there was no network. */
export type Script = (request: SentRequest, index: number) => Response | Promise<Response>;

/** A fetch that answers by a script, and keeps what it was asked. */
export function createScriptedFetch(script: Script): { fetch: typeof fetch; requests: SentRequest[] } {
  const requests: SentRequest[] = [];
  const scripted = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const request: SentRequest = {
      method: init.method ?? 'GET',
      url: String(input),
      headers: init.headers as Record<string, string>,
      body: init.body,
      signal: init.signal ?? undefined,
    };
    requests.push(request);
    const answered = script(request, requests.length - 1);
    const { signal } = request;
    if (!signal) return answered;
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return Promise.race([answered, aborted]);
  };
  return { fetch: scripted as typeof fetch, requests };
}

export const problem = (
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Response =>
  Response.json(
    { code, detail: `This is ${code}.`, retryable: false, requestId: 'trace', ...more },
    { status, headers },
  );
