/** One JSON-RPC 2.0 message, its fields unchecked. */
export type IncomingMessage =
  | { type: 'request'; id: string | number; method: string; params: unknown }
  | { type: 'notification'; method: string; params: unknown }
  | { type: 'result'; id: string | number; result: unknown }
  /** Without an id where the other side could not read what it was sent. */
  | { type: 'error'; id: string | number | undefined; code: number; message: string };

// What no database and no UTF-8 text may hold: NUL and surrogates without their other half.
const UNSAFE_ESCAPE = /\\u0000|\\u[dD][89a-fA-F]/;

/** The message of a line; `blank` where the line is empty, `garbage` where it is no JSON-RPC message. */
export function parseMessage(line: Buffer): IncomingMessage | 'blank' | 'garbage' {
  const text = line.toString('utf8').trim();
  if (text === '') return 'blank';
  try {
    const value: unknown = JSON.parse(text);
    return messageOf(UNSAFE_ESCAPE.test(text) ? cleanStrings(value) : value);
  } catch {
    return 'garbage';
  }
}

function messageOf(value: unknown): IncomingMessage | 'garbage' {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'garbage';
  const { id, method, params, result, error } = value as Record<string, unknown>;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string')
    return isId ? { type: 'request', id, method, params } : { type: 'notification', method, params };
  if (typeof error === 'object' && error !== null) {
    const { code, message } = error as Record<string, unknown>;
    return { type: 'error', id: isId ? id : undefined, code: Number(code), message: String(message) };
  }
  return isId && result !== undefined ? { type: 'result', id, result } : 'garbage';
}

function cleanStrings(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(cleanStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [cleanStrings(key), cleanStrings(child)]));
}
