import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCodes, Fault, problemSchema, type TraceContext } from '@attache/contracts';
import type { GatewayAccess } from './config.ts';
import { ToolContextUnavailableError } from './errors.ts';

const IDLE_MS = 60_000;
const MAX_JSON_BYTES = 16 * 1024 * 1024;

export type GatewayRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: Readable | Uint8Array;
};

/** HTTP to the gateway over the agent's unix socket. */
export type GatewayClient = {
  /** A successful response, its body unread. An error response is thrown as a fault with its code. */
  send(request: GatewayRequest): Promise<IncomingMessage>;
  sendForJson(request: GatewayRequest): Promise<unknown>;
};

export function createGatewayClient(access: GatewayAccess, trace: TraceContext | undefined): GatewayClient {
  async function send(gatewayRequest: GatewayRequest): Promise<IncomingMessage> {
    const response = await exchange(access, trace, gatewayRequest);
    if (response.statusCode !== undefined && response.statusCode < 300) return response;
    throw await faultOf(response);
  }
  return { send, sendForJson: async (gatewayRequest) => JSON.parse(await readText(await send(gatewayRequest))) };
}

function exchange(
  { socketPath, token }: GatewayAccess,
  trace: TraceContext | undefined,
  { method, path, headers, body }: GatewayRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath,
      method,
      path,
      headers: { authorization: `Bearer ${token}`, ...trace, ...headers },
      timeout: IDLE_MS,
    });
    outgoing.once('response', resolve);
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', (cause) => reject(unavailable(cause)));
    if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
    else pipeline(body, outgoing).catch((cause) => reject(unavailable(cause)));
  });
}

function unavailable(cause: unknown): ToolContextUnavailableError {
  return new ToolContextUnavailableError('The gateway does not answer. Try again.', { retryable: true, cause });
}

async function faultOf(response: IncomingMessage): Promise<Fault> {
  const parsed = problemSchema.safeParse(parseJson(await readText(response)));
  const code = errorCodes.find((each) => each === parsed.data?.code) ?? 'INTERNAL';
  const message = parsed.data?.detail ?? `The gateway answered with status ${response.statusCode}.`;
  return new Fault(code, message, { retryable: parsed.data?.retryable ?? false });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_JSON_BYTES) throw new Fault('PAYLOAD_TOO_LARGE', 'The gateway answered with too much text.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
