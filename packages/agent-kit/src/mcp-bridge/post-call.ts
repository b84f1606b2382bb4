import { type IncomingMessage, request } from 'node:http';
import type { GatewayAccess } from '../config.ts';
import { type Call, describeError, isRecord, parseJson } from './json-rpc.ts';

// An answer may wait for its turn and for a document to be drawn.
const IDLE_MS = 120_000;
const ANSWER_BYTES = 32 * 1024 * 1024;
const TRACEPARENT = /^[0-9a-f]{2}(?:-[0-9a-f]{2,32}){3}$/;

const AWAY = 'The gateway does not answer. Try again; if that does not help, work without attachments and say so.';

/** Has the gateway do a call; answers one line, also where it is away. */
export async function postCall(access: GatewayAccess, line: string, call: Call): Promise<string> {
  const id = call.id ?? null;
  try {
    const response = await post(access, line, call.traceparent);
    const text = await readText(response);
    if (response.statusCode === 200) return toOneLine(text);
    return describeError(id, -32000, findDetail(text) ?? AWAY);
  } catch {
    return describeError(id, -32000, AWAY);
  }
}

function post(
  { socketPath, token }: GatewayAccess,
  line: string,
  traceparent: string | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = Buffer.from(line);
    const outgoing = request({
      socketPath,
      method: 'POST',
      path: '/agent/mcp',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': body.length,
        ...(traceparent !== undefined && TRACEPARENT.test(traceparent) ? { traceparent } : {}),
      },
      timeout: IDLE_MS,
    });
    outgoing.once('response', resolve);
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

// Inside its strings JSON has no line ends.
const toOneLine = (json: string): string => json.replaceAll(/[\r\n]/g, ' ');

/** Finds the detail of an HTTP refusal. */
function findDetail(text: string): string | undefined {
  const problem = parseJson(text);
  return isRecord(problem) && typeof problem.detail === 'string' ? problem.detail : undefined;
}
