import type { Readable, Writable } from 'node:stream';
import { createFrame, type Frame } from '../frames/create-frame.ts';
import { createFrameWriter, type FrameWriter, type WriteHooks, type WriteOutcome } from '../frames/write-frame.ts';
import { createRequestAnswering, type RequestAnswering } from '../messages/answer-requests.ts';
import type { ConnectionEnd } from '../messages/connection-end.ts';
import { type MessageReader, readMessages } from '../messages/read-messages.ts';
import type { AgentRequests, Answer } from './exchange.ts';
import { type IncomingMessage, parseMessage } from './parse-message.ts';

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

export type ConnectionOptions = {
  stdin: Writable;
  stdout: Readable;
  incomingLineBytes: number;
  allowanceBytes?: number | undefined;
  stallMs: number;
  /** Fields of every message that is sent: `jsonrpc`, except for programs that leave it out. */
  envelope: Readonly<Record<string, string>>;
  handlers: AgentRequests;
};

export type JsonRpcConnection = Pick<MessageReader, 'closed' | 'closeWhenDrained' | 'resetAllowance'> & {
  /** Sends a request whose frame carries `id`. The answer may be `closed`; it never rejects. */
  request(id: string, frame: Frame, hooks?: WriteHooks): { written: Promise<WriteOutcome>; answer: Promise<Answer> };
  /** A request without bytes in it, under an id of its own. */
  ask(method: string, params: unknown): Promise<Answer>;
  notify(method: string, params?: unknown): Promise<WriteOutcome>;
};

type State = {
  options: ConnectionOptions;
  writer: FrameWriter;
  answering: RequestAnswering;
  pending: Map<string | number, (answer: Answer) => void>;
  end: ConnectionEnd | undefined;
};

/** JSON-RPC with one agent over its standard input and output. */
export function createJsonRpcConnection(options: ConnectionOptions): JsonRpcConnection {
  const { stdin, stdout, stallMs, incomingLineBytes, allowanceBytes, envelope } = options;
  const writer = createFrameWriter({ output: stdin, stallMs });
  const answering = createRequestAnswering(writer, () => reader.breakOff({ reason: 'stalled' }));
  const state: State = { options, writer, answering, pending: new Map(), end: undefined };
  const reader = readMessages<IncomingMessage>({
    stdout,
    incomingLineBytes,
    allowanceBytes,
    parse: parseMessage,
    handle: (message) => handleMessage(state, message),
  });
  let askedCount = 0;
  const closed = reader.closed.then((end) => close(state, end));
  const request: JsonRpcConnection['request'] = (id, frame, hooks) => ({
    answer: expectAnswer(state, id),
    written: writeRequest(state, id, frame, hooks),
  });
  return {
    request,
    async ask(method, params) {
      askedCount += 1;
      const id = `${method} ${askedCount}`;
      const sent = request(
        id,
        createFrame(() => ({ ...envelope, id, method, params })),
      );
      // A request that was not written gets no answer: the end of the connection says why.
      const { status } = await sent.written;
      return status === 'written' ? sent.answer : { status: 'closed', end: await closed };
    },
    notify: (method, params) =>
      writer.write(createFrame(() => ({ ...envelope, method, ...(params === undefined ? {} : { params }) }))),
    closed,
    closeWhenDrained: reader.closeWhenDrained,
    resetAllowance: reader.resetAllowance,
  };
}

function expectAnswer(state: State, id: string): Promise<Answer> {
  if (state.end !== undefined) return Promise.resolve({ status: 'closed', end: state.end });
  return new Promise((resolve) => state.pending.set(id, resolve));
}

/** A request that was not written is never answered. */
async function writeRequest(state: State, id: string, frame: Frame, hooks?: WriteHooks): Promise<WriteOutcome> {
  let isWritten = false;
  try {
    const written = await state.writer.write(frame, hooks);
    isWritten = written.status === 'written';
    return written;
  } finally {
    if (!isWritten) state.pending.delete(id);
  }
}

function close(state: State, end: ConnectionEnd): ConnectionEnd {
  state.end = end;
  for (const resolve of state.pending.values()) resolve({ status: 'closed', end });
  state.pending.clear();
  return end;
}

async function handleMessage(state: State, message: IncomingMessage): Promise<void> {
  switch (message.type) {
    case 'notification':
      return await state.options.handlers.onNotification(message.method, message.params);
    case 'request':
      return await state.answering.answer(() => composeAnswer(state, message));
    case 'result':
      return await settle(state, message.id, { status: 'result', result: message.result });
    case 'error': {
      const { code, message: text, data } = message;
      return await settle(state, message.id, { status: 'error', code, message: text, data });
    }
    default:
      message satisfies never;
  }
}

/** An error without an id is about a line that the agent could not read, so it answers all that is open. */
async function settle(state: State, id: string | number | undefined, answer: Answer): Promise<void> {
  await state.options.handlers.onAnswer(answer);
  const ids = id === undefined ? [...state.pending.keys()] : [id];
  for (const each of ids) {
    state.pending.get(each)?.(answer);
    state.pending.delete(each);
  }
}

async function composeAnswer(
  { options }: State,
  { id, method, params }: Extract<IncomingMessage, { type: 'request' }>,
): Promise<object> {
  const { envelope, handlers } = options;
  const error = (code: number, message: string) => ({ ...envelope, id, error: { code, message } });
  try {
    const handled = handlers.onRequest(method, params);
    if (handled === undefined) return error(METHOD_NOT_FOUND, 'Method not found');
    return { ...envelope, id, result: await handled };
  } catch {
    return error(INTERNAL_ERROR, 'Internal error');
  }
}
