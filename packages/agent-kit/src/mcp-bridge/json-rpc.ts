/** The facts about a message that the bridge needs. A message without an id is a notification or a response, and gets no response. */
export type Call = { id: string | number | undefined; traceparent: string | undefined };

/** Undefined for a line that is no JSON-RPC message. */
export function parseCall(line: string): Call | undefined {
  const message = parseJson(line);
  if (!isRecord(message) || message.jsonrpc !== '2.0') return undefined;
  const { id } = message;
  const meta = isRecord(message.params) && isRecord(message.params._meta) ? message.params._meta : {};
  return {
    id: typeof message.method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : undefined,
    traceparent: typeof meta.traceparent === 'string' ? meta.traceparent : undefined,
  };
}

/** An error as one line. */
export function describeError(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
