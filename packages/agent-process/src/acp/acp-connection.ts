import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createFrame, type Frame } from '../frames/create-frame.ts';
import { type IncomingMessage, parseMessage } from '../frames/parse-message.ts';
import { readLines } from '../frames/read-lines.ts';
import { createFrameWriter, type WriteHooks, type WriteOutcome } from '../frames/write-frame.ts';
import type { AgentRequests, Answer, ConnectionEnd } from './exchange.ts';

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
// Some programs print a line or two of their own before they speak their protocol.
const MAX_GARBAGE_LINES = 8;
const DRAIN_POLL_MS = 50;

export type ConnectionOptions = {
  stdin: Writable;
  stdout: Readable;
  incomingLineBytes: number;
  stallMs: number;
  handlers: AgentRequests;
};

export type AcpConnection = {
  /** Sends a request whose frame carries `id`. The answer may be `closed`; it never rejects. */
  request(id: string, frame: Frame, hooks?: WriteHooks): { written: Promise<WriteOutcome>; answer: Promise<Answer> };
  notify(method: string, params: unknown): Promise<WriteOutcome>;
  readonly closed: Promise<ConnectionEnd>;
  /** Ends the reading once all that came has been handled; for when the agent has ended but its pipe has not. */
  closeWhenDrained(): Promise<void>;
};

type State = {
  options: ConnectionOptions;
  send: (frame: Frame, hooks?: WriteHooks) => Promise<WriteOutcome>;
  pending: Map<string | number, (answer: Answer) => void>;
  end: ConnectionEnd | undefined;
  garbageLines: number;
  handledLines: number;
  isHandling: boolean;
};

/** JSON-RPC with one agent over its standard input and output. */
export function createAcpConnection(options: ConnectionOptions): AcpConnection {
  const writer = createFrameWriter({ output: options.stdin, stallMs: options.stallMs });
  const state: State = {
    options,
    send: writer.write,
    pending: new Map(),
    end: undefined,
    garbageLines: 0,
    handledLines: 0,
    isHandling: false,
  };
  const closed = readMessages(state).then((end) => close(state, end));
  return {
    request: (id, frame, hooks) => ({
      answer: expectAnswer(state, id),
      written: writeRequest(state, id, frame, hooks),
    }),
    notify: (method, params) => writer.write(createFrame(() => ({ jsonrpc: '2.0', method, params }))),
    closed,
    closeWhenDrained: () => closeWhenDrained(state),
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
    const written = await state.send(frame, hooks);
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

async function readMessages(state: State): Promise<ConnectionEnd> {
  const { stdout, incomingLineBytes } = state.options;
  try {
    for await (const line of readLines(stdout, incomingLineBytes)) {
      if (line.type === 'too-long') {
        return { reason: 'protocol-error', diagnostic: `a line of more than ${line.limitBytes} bytes` };
      }
      state.isHandling = true;
      const fault = await handleLine(state, line.bytes);
      state.isHandling = false;
      state.handledLines += 1;
      if (fault !== undefined) return fault;
    }
    return { reason: 'ended' };
  } catch {
    // The pipe was destroyed under the reader, which is an end like any other.
    return { reason: 'ended' };
  }
}

async function handleLine(state: State, bytes: Buffer): Promise<ConnectionEnd | undefined> {
  const message = parseMessage(bytes);
  if (message === 'blank') return undefined;
  if (message === 'garbage') {
    state.garbageLines += 1;
    if (state.garbageLines <= MAX_GARBAGE_LINES) return undefined;
    return { reason: 'protocol-error', diagnostic: `${state.garbageLines} lines that are no JSON-RPC messages` };
  }
  try {
    await handleMessage(state, message);
    return undefined;
  } catch (error) {
    return { reason: 'fault', error };
  }
}

async function handleMessage(state: State, message: IncomingMessage): Promise<void> {
  switch (message.type) {
    case 'notification':
      return await state.options.handlers.onNotification(message.method, message.params);
    case 'request':
      // Not awaited: the answer may need a person, and the agent's other messages must not wait for it.
      void answerRequest(state, message);
      return;
    case 'result':
      return await settle(state, message.id, { status: 'result', result: message.result });
    case 'error':
      return await settle(state, message.id, { status: 'error', code: message.code, message: message.message });
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

async function answerRequest(state: State, request: Extract<IncomingMessage, { type: 'request' }>): Promise<void> {
  const { id, method, params } = request;
  const error = (code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } });
  let answer: unknown;
  try {
    const handled = state.options.handlers.onRequest(method, params);
    answer =
      handled === undefined
        ? error(METHOD_NOT_FOUND, 'Method not found')
        : { jsonrpc: '2.0', id, result: await handled };
  } catch {
    answer = error(INTERNAL_ERROR, 'Internal error');
  }
  await state.send(createFrame(() => answer));
}

async function closeWhenDrained(state: State): Promise<void> {
  for (let seen = -1; state.end === undefined && (state.isHandling || seen !== state.handledLines); ) {
    seen = state.handledLines;
    await delay(DRAIN_POLL_MS);
  }
  state.options.stdout.destroy();
}
