import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Conversation } from './conversation.ts';
import type { Answer, Dialect, ModelFailure } from './dialects/dialect.ts';
import { findDialect } from './dialects/find-dialect.ts';
import { type ModelRequest, summariseRequest } from './model-request.ts';
import { readBody } from './read-body.ts';
import { sampleSchema } from './sample-schema.ts';
import { sendEvents, sendFailure, sendJson } from './send-reply.ts';

/** What a script has the model do: say something, call tools, fail, never answer, or cut the connection. */
export type ModelReply =
  | { text?: string; toolCalls?: { name: string; input: unknown }[] }
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
  const hasEvents = conversation.isStreaming && (dialect.api !== 'google' || searchParams.get('alt') === 'sse');
  sendAnswer({ response, dialect, conversation, answer: composeAnswer(reply), hasEvents });
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
