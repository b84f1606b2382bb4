import { parseJsonObject } from '../messages/parse-json.ts';

/** One JSON-RPC message, its fields unchecked. */
export type IncomingMessage =
  | { type: 'request'; id: string | number; method: string; params: unknown }
  | { type: 'notification'; method: string; params: unknown }
  | { type: 'result'; id: string | number; result: unknown }
  /** Without an id where the other side could not read what it was sent. */
  | { type: 'error'; id: string | number | undefined; code: number; message: string; data: unknown };

/** The message of a line; `blank` where the line is empty, `garbage` where it is no JSON-RPC message. */
export function parseMessage(line: Buffer): IncomingMessage | 'blank' | 'garbage' {
  const value = parseJsonObject(line);
  return typeof value === 'string' ? value : messageOf(value);
}

function messageOf({
  id,
  method,
  params,
  result,
  error,
}: Readonly<Record<string, unknown>>): IncomingMessage | 'garbage' {
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string')
    return isId ? { type: 'request', id, method, params } : { type: 'notification', method, params };
  if (typeof error === 'object' && error !== null) {
    const { code, message, data } = error as Record<string, unknown>;
    return { type: 'error', id: isId ? id : undefined, code: Number(code), message: String(message), data };
  }
  return isId && result !== undefined ? { type: 'result', id, result } : 'garbage';
}
