import { randomUUID } from 'node:crypto';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import { createFrameWriter, type WriteHooks, type WriteOutcome } from '@attache/agent-process/frames/write-frame';
import { createRequestAnswering } from '@attache/agent-process/messages/answer-requests';
import type { ConnectionEnd } from '@attache/agent-process/messages/connection-end';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import { parseJsonObject } from '@attache/agent-process/messages/parse-json';
import { type MessageReader, readMessages } from '@attache/agent-process/messages/read-messages';
import type { ProtocolContext } from '@attache/agent-process/protocol';

export type ClaudeConnection = Pick<MessageReader, 'closed' | 'closeWhenDrained' | 'resetAllowance'> & {
  write(frame: Frame, hooks?: WriteHooks): Promise<WriteOutcome>;
  /** A control request; its answer, or how the connection ended. */
  ask(request: object): Promise<JsonRecord | ConnectionEnd>;
  /** A control request whose answer does not matter. */
  tell(request: object): Promise<void>;
};

type Handlers = {
  /** Awaited before the next message is read. */
  onMessage(message: JsonRecord): Promise<void>;
  /** Handles a request of the program to its host. A throw is returned as an error, which the program treats as a denial. */
  onRequest(request: JsonRecord): Promise<object>;
};

/** Lines of JSON with Claude Code; control requests carry an id, both ways. */
export function createClaudeConnection(
  options: Pick<ProtocolContext, 'spec' | 'stdin' | 'stdout' | 'incomingLineBytes' | 'stallMs'> & Handlers,
): ClaudeConnection {
  const { spec, stdin, stdout, incomingLineBytes, stallMs, onMessage, onRequest } = options;
  const writer = createFrameWriter({ output: stdin, stallMs });
  const pending = new Map<string, (answer: JsonRecord) => void>();
  const send = (message: object) => writer.write(createFrame(() => message));
  const answering = createRequestAnswering(writer, () => reader.breakOff({ reason: 'stalled' }));
  const composeAnswer = async (requestId: unknown, request: JsonRecord) => {
    const response = await onRequest(request).then(
      (answer) => ({ subtype: 'success', request_id: requestId, response: answer }),
      () => ({ subtype: 'error', request_id: requestId, error: 'the host could not answer' }),
    );
    return { type: 'control_response', response };
  };
  const reader = readMessages<JsonRecord>({
    stdout,
    incomingLineBytes,
    allowanceBytes: spec.limits?.outputBytes,
    parse: parseJsonObject,
    async handle(message) {
      if (message.type === 'control_response') {
        const response = recordOf(message.response);
        const requestId = stringOf(response.request_id) ?? '';
        pending.get(requestId)?.(response);
        pending.delete(requestId);
      } else if (message.type === 'control_request') {
        await answering.answer(() => composeAnswer(message.request_id, recordOf(message.request)));
      } else {
        await onMessage(message);
      }
    },
  });
  const askFor = async (request: object): Promise<JsonRecord | ConnectionEnd> => {
    const requestId = randomUUID();
    const answered = new Promise<JsonRecord>((resolve) => pending.set(requestId, resolve));
    await send({ type: 'control_request', request_id: requestId, request });
    return Promise.race([answered, reader.closed]);
  };
  return {
    closed: reader.closed,
    closeWhenDrained: reader.closeWhenDrained,
    resetAllowance: reader.resetAllowance,
    write: writer.write,
    ask: askFor,
    async tell(request) {
      await send({ type: 'control_request', request_id: randomUUID(), request });
    },
  };
}
