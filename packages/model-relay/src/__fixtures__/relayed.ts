import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { createLogger } from '@attache/telemetry';
import type { ModelApi, OpenedRelay, RelayAccess, RelayedRequest, RelayOptions } from '../relay-types.ts';
import { startModelRelay } from '../start-model-relay.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;
type Seen = { method: string; url: string; rawHeaders: string[]; headers: IncomingHttpHeaders; body: Buffer };

/** A model API on loopback that can be made to misbehave. Without `answering` it keeps each request and responds with 200. */
async function startProvider() {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let answering: Answering | undefined;
  let begun = 0;
  let broken = 0;
  const server = createServer(async (request, response) => {
    begun += 1;
    request.once('error', () => {
      broken += 1;
    });
    if (answering !== undefined) return answering(request, response);
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const { method = '', url = '', rawHeaders, headers } = request;
    seen.push({ method, url, rawHeaders, headers, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"answered":true}');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    behave: (next: Answering | undefined) => {
      answering = next;
    },
    countBegun: () => begun,
    /** Requests that ended before their last byte. */
    countBroken: () => broken,
    countConnections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Given = Partial<Omit<RelayAccess, 'endpoint'>> & { endpoint?: Partial<RelayAccess['endpoint']> };

/** A relay, its provider, and what was recorded and logged. */
export async function startRelayed(limits: RelayOptions['limits'] = {}, spoolFolder?: string, threadProgram?: URL) {
  const lines: string[] = [];
  const records: RelayedRequest[] = [];
  const provider = await startProvider();
  const log = createLogger({
    service: 'test',
    level: 'debug',
    destination: { write: (line) => void lines.push(line) },
  });
  const relay = await startModelRelay({ log, limits, spoolFolder, threadProgram });
  let agents = 0;
  return {
    ...{ relay, provider, records, lines },
    open({ endpoint, ...given }: Given = {}): OpenedRelay {
      agents += 1;
      return relay.open({
        ...{ agentId: `agt_${String(agents).padEnd(22, 'A')}`, epoch: 1, model: 'm', maxRequestBytes: undefined },
        ...{ errands: [], isInTurn: () => true, watchRequest: () => (record) => void records.push(record) },
        ...given,
        endpoint: { api: 'anthropic', baseUrl: provider.baseUrl, readKey: async () => 'the-real-key', ...endpoint },
      });
    },
    async [Symbol.asyncDispose]() {
      await relay.stop();
      await provider.close();
    },
  };
}

export const paths: Readonly<Record<ModelApi, string>> = {
  anthropic: '/v1/messages',
  'openai-responses': '/v1/responses',
  'openai-chat': '/v1/chat/completions',
  google: '/v1beta/models/m:generateContent',
};

export type Asked = {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

export type Answered = { status: number; headers: IncomingHttpHeaders; text: string };

/** Asks through an opened relay, with its token as `x-api-key`. Rejects where the connection breaks. */
export async function ask(opened: Pick<OpenedRelay, 'baseUrl' | 'token'>, asked: Asked = {}): Promise<Answered> {
  const response = await askForResponse(opened, asked);
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

const isModelInPath = (path: string): boolean => path.includes(':');

/** The same, with the body still to be read. */
export function askForResponse(
  { baseUrl, token }: Pick<OpenedRelay, 'baseUrl' | 'token'>,
  {
    path = paths.anthropic,
    method = 'POST',
    headers = {},
    body = isModelInPath(path) ? '{}' : '{"model":"m"}',
  }: Asked = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = requestHttp(`${baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': token, ...headers },
      agent: false,
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(method === 'POST' ? body : undefined);
  });
}

/** Sends bytes as they are and resolves with all that comes back until the connection ends. */
export function sendRaw({ baseUrl }: Pick<OpenedRelay, 'baseUrl'>, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', () => {});
    socket.once('close', () => resolve(Buffer.concat(pieces).toString('latin1')));
  });
}
