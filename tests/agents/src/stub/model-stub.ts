import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Conversation } from './conversation.ts';
import type { Answer, Dialect, ModelFailure, ServerEvent } from './dialects/dialect.ts';
import { findDialect } from './dialects/find-dialect.ts';
import { type ModelRequest, summariseRequest } from './model-request.ts';
import { sampleSchema } from './sample-schema.ts';

/** The model's reaction in a script: say something, call tools, fail, never answer, cut the connection, or begin to answer and cut it then. */
export type ModelReply =
  | { text?: string; toolCalls?: { name: string; input: unknown }[] }
  | { breaksAfter: string }
  | ModelFailure
  | { hang: true }
  | { reset: true };

/** `body`: the request as it came; it is held no longer than its answer takes. */
export type ModelScript = (request: ModelRequest, index: number, body: unknown) => ModelReply;

/** The model APIs on a loopback port, answering what a script says. */
export type ModelStub = {
  /** Without a path; clients append `/v1` or `/v1beta`. */
  url: string;
  /** All requests to a model in the order they came, a CLI's own errands included. */
  requests: ModelRequest[];
  /** Sets what the model answers from now on. `index` counts the requests that were put to this script. */
  script(answer: ModelScript): void;
  stop(): Promise<void>;
};

type Stage = { requests: ModelRequest[]; answer: ModelScript; askedCount: number };

const countAttachments: ModelScript = ({ newAttachments }) => ({ text: `I see ${newAttachments.length} attachments` });

/** Starts a stub that says how many attachments came with the last message, until it gets a script. */
export async function startModelStub(): Promise<ModelStub> {
  const stage: Stage = { requests: [], answer: countAttachments, askedCount: 0 };
  const server = createServer((request, response) => {
    serveRequest(request, response, stage).catch((error: Error) => {
      // Worded for whoever reads the output of the CLI: the script of a test threw, or the CLI sent no JSON.
      if (!response.headersSent) sendJson(response, 400, { error: { message: `stub: ${error.message}` } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: stage.requests,
    script(answer) {
      Object.assign(stage, { answer, askedCount: 0 });
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serveRequest(request: IncomingMessage, response: ServerResponse, stage: Stage): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub');
  const body = await readBody(request);
  const dialect = request.method === 'POST' ? findDialect(pathname) : undefined;
  if (!dialect) return sendJson(response, 200, { object: 'list', data: [], models: [], has_more: false });
  if (!body) return sendFailure(response, dialect, { status: 413, error: { message: 'the request is too large' } });
  const parsed: unknown = JSON.parse(body.toString());
  const conversation = dialect.readConversation(pathname, parsed);
  const { headers } = request;
  const seen = summariseRequest({ api: dialect.api, conversation, headers, bodyBytes: body.length });
  stage.requests.push(seen);
  if (conversation.isTokenCount) return sendJson(response, 200, dialect.composeTokenCount());
  const reply = seen.isSide ? composeSideReply(conversation) : askScript(stage, seen, parsed);
  if ('hang' in reply) return;
  if ('reset' in reply) return request.socket.resetAndDestroy() && undefined;
  if ('status' in reply) return sendFailure(response, dialect, reply);
  const answer = composeAnswer('breaksAfter' in reply ? { text: reply.breaksAfter } : reply);
  const hasEvents = conversation.isStreaming && (dialect.api !== 'google' || searchParams.get('alt') === 'sse');
  if ('breaksAfter' in reply) {
    const events = dialect.composeEvents(answer, conversation);
    return breakOff(response, events, reply.breaksAfter);
  }
  sendAnswer({ response, dialect, conversation, answer, hasEvents });
}

const LARGEST_BODY_BYTES = 128 * 2 ** 20;

/** The body of a request; undefined if it is larger than any model API would take. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    // The rest is still read, so that the client gets to see the answer.
    if (sizeBytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return sizeBytes <= LARGEST_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

function composeSideReply({ answerSchema }: Conversation): ModelReply {
  return { text: answerSchema === undefined ? 'ok' : JSON.stringify(sampleSchema(answerSchema)) };
}

function askScript(stage: Stage, seen: ModelRequest, body: unknown): ModelReply {
  const index = stage.askedCount;
  stage.askedCount += 1;
  return stage.answer(seen, index, body);
}

function composeAnswer({ text, toolCalls = [] }: { text?: string; toolCalls?: { name: string; input: unknown }[] }) {
  return { id: randomUUID(), text, toolCalls: toolCalls.map((call) => ({ id: `call_${randomUUID()}`, ...call })) };
}

function sendAnswer(options: {
  response: ServerResponse;
  dialect: Dialect;
  conversation: Conversation;
  answer: Answer;
  hasEvents: boolean;
}): void {
  const { response, dialect, conversation, answer, hasEvents } = options;
  if (hasEvents) sendEvents(response, dialect.composeEvents(answer, conversation));
  else sendJson(response, 200, dialect.composeAnswer(answer, conversation));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendFailure(response: ServerResponse, dialect: Dialect, failure: ModelFailure): void {
  const { status, retryAfterSeconds } = failure;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  sendJson(response, status, dialect.composeFailure(failure));
}

function sendEvents(response: ServerResponse, events: readonly ServerEvent[]): void {
  writeEvents(response, events);
  response.end();
}

/** The model has said this, and the connection is gone before it ends. */
function breakOff(response: ServerResponse, events: readonly ServerEvent[], said: string): void {
  const end = events.findIndex(({ data }) => JSON.stringify(data).includes(said)) + 1;
  writeEvents(response, events.slice(0, end));
  setImmediate(() => response.socket?.resetAndDestroy());
}

function writeEvents(response: ServerResponse, events: readonly ServerEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of events) {
    const name = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
}
