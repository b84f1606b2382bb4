import type { Client } from '@attache/client';
import { createClient } from '@attache/client';
import type { Session } from '@attache/contracts';
import type { Fault, SeenRequest } from './proxy/faults.ts';

/** The input of a run: the same in every runtime, and plain JSON. */
export type RunOptions = {
  /** Address of the proxy in front of the stack, with a path prefix. */
  baseUrl: string;
  /** Address of the proxy's own controls. */
  controlUrl: string;
  apiKey: string;
};

export type Context = RunOptions & {
  client: Client;
  /** Makes the next requests that fit go wrong; each fault happens once, but for `count`. */
  plant(...faults: Fault[]): Promise<void>;
  /** The requests since the last call that fit. */
  seen(method: string, path: string): Promise<SeenRequest[]>;
  /** A session of its own, with one agent. */
  openSession(model?: string): Promise<Session>;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
};

export type Case = { name: string; run(context: Context): Promise<void> };

export function createContext(options: RunOptions): Context {
  const { baseUrl, controlUrl, apiKey } = options;
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  return {
    ...options,
    client: createClient({ baseUrl, getToken: () => apiKey }),
    call,
    async plant(...faults) {
      await fetch(`${controlUrl}/faults`, { method: 'POST', body: JSON.stringify(faults) });
    },
    async seen(method, path) {
      const response = await fetch(`${controlUrl}/seen`);
      const all = (await response.json()) as SeenRequest[];
      return all.filter((request) => request.method === method && request.path.includes(path));
    },
    async openSession(model = 'example-vision') {
      const agents = [{ name: 'helper', role: 'lead', target: { profile: 'example', model } }];
      const { session } = await call<{ session: Session }>('POST', '/sessions', { agents });
      return session;
    },
  };
}
