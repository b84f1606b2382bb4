import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Fault, SeenRequest } from './faults.ts';

/** The path below which the stack is, as behind a proxy of a platform. */
const PREFIX = '/attache';

export type FaultProxy = { baseUrl: string; controlUrl: string; close(): Promise<void> };

/** A proxy in front of a stack that makes requests fail in the planted ways. */
export async function startFaultProxy(stackUrl: string): Promise<FaultProxy> {
  const faults: Fault[] = [];
  let seen: SeenRequest[] = [];
  const open = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    if (url.startsWith('/control')) return control(request, response);
    const path = url.replace(PREFIX, '');
    const kind = `${method} ${path.split('?')[0]}`;
    const openAtOnce = (open.get(kind) ?? 0) + 1;
    open.set(kind, openAtOnce);
    response.once('close', () => open.set(kind, (open.get(kind) ?? 1) - 1));
    seen.push(describeRequest(request, path, openAtOnce));
    forward(stackUrl, request, response, path, takeFault(faults, method, path));
  });
  const control = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'POST') faults.splice(0, faults.length, ...(JSON.parse(await text(request)) as Fault[]));
    response.end(JSON.stringify(seen));
    if (request.method === 'GET') seen = [];
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: `${address}${PREFIX}`,
    controlUrl: `${address}/control`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function takeFault(faults: Fault[], method: string, path: string): Fault | undefined {
  const index = faults.findIndex((fault) => fault.method === method && path.includes(fault.path));
  const fault = faults[index];
  if (fault === undefined) return undefined;
  const left = (fault.count ?? 1) - 1;
  if (left > 0) faults[index] = { ...fault, count: left };
  else faults.splice(index, 1);
  return fault;
}

function describeRequest({ method = '', headers }: IncomingMessage, path: string, openAtOnce: number): SeenRequest {
  const header = (name: string) => headers[name] as string | undefined;
  const [idempotencyKey, authorization] = [header('idempotency-key'), header('authorization')];
  const lastEventId = header('last-event-id');
  return {
    ...{ method, path, openAtOnce },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(authorization !== undefined && { authorization }),
    ...(lastEventId !== undefined && { lastEventId }),
  };
}

function forward(
  stackUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  fault: Fault | undefined,
): void {
  const cut = () => void request.socket.destroy();
  if (fault?.does === 'cut-before') cut();
  else if (fault?.does === 'answer') answer(request, response, fault);
  else pass(stackUrl, request, response, path, fault, cut);
}

function pass(
  stackUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  fault: Fault | undefined,
  cut: () => void,
): void {
  const { method } = request;
  const headers = { ...request.headers, host: new URL(stackUrl).host };
  const sent = requestOf(`${stackUrl}${path}`, { method, headers }, (answered) => {
    if (fault?.does === 'lose-answer') {
      answered.resume().once('end', cut);
      return;
    }
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    let bytes = 0;
    answered.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      const isCut = fault?.does === 'cut-answer' && bytes >= fault.afterBytes;
      // Amid its last block, which the reader must not take for a whole one.
      if (isCut) response.write(chunk.subarray(0, -5), cut);
      else response.write(chunk);
    });
    answered.once('end', () => response.end());
    answered.once('error', cut);
  });
  sent.once('error', cut);
  response.once('close', () => sent.destroy());
  passBody(request, sent, fault, cut);
}

type Sent = ReturnType<typeof requestOf>;

function passBody(request: IncomingMessage, sent: Sent, fault: Fault | undefined, cut: () => void): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (fault?.does === 'cut-body' && bytes >= fault.afterBytes) return cut();
    const isHeld = fault?.does === 'hold-body' && bytes >= fault.afterBytes;
    if (isHeld) request.pause();
    if (!sent.write(chunk) && !isHeld) {
      request.pause();
      sent.once('drain', () => request.resume());
    }
  });
  request.once('end', () => sent.end());
}

/** As the server would: a browser reads only what is allowed to its origin. */
function answer(request: IncomingMessage, response: ServerResponse, fault: Fault & { does: 'answer' }): void {
  request.resume();
  request.once('end', () => {
    response.writeHead(fault.status, {
      'access-control-allow-origin': request.headers.origin ?? '*',
      'access-control-expose-headers': 'Retry-After',
      'content-type': 'application/json',
      ...fault.headers,
    });
    response.end(fault.body);
  });
}
