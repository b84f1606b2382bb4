import { randomUUID } from 'node:crypto';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import { createFrameWriter, type WriteHooks, type WriteOutcome } from '@attache/agent-process/frames/write-frame';
import { createRequestAnswering } from '@attache/agent-process/messages/answer-requests';
import type { ConnectionEnd } from '@attache/agent-process/messages/connection-end';
import { type JsonRecord, stringOf } from '@attache/agent-process/messages/json-values';
import { parseJsonObject } from '@attache/agent-process/messages/parse-json';
import { type MessageReader, readMessages } from '@attache/agent-process/messages/read-messages';
import type { ProtocolContext } from '@attache/agent-process/protocol';

export type PiConnection = Pick<MessageReader, 'closed' | 'closeWhenDrained' | 'resetAllowance'> & {
  /** A command with its id, and the response to it or how the connection ended. */
  send(id: string, frame: Frame, hooks?: WriteHooks): { written: Promise<WriteOutcome>; response: Promise<Response> };
  /** A command without a body of ours. */
  ask(type: string): Promise<Response>;
};

export type Response = { status: 'answered'; response: JsonRecord } | { status: 'closed'; end: ConnectionEnd };

type Handlers = {
  /** Awaited before the next event is read. */
  onEvent(event: JsonRecord): Promise<void>;
  /** A dialog of an extension; what it is answered with. Never throws. */
  onDialog(dialog: JsonRecord): Promise<JsonRecord>;
};

// It repeats each message that it gets, and at its end all messages of a run.
const ECHOES = 2;

/** Lines of JSON with pi: commands and their responses, events, and dialogs of its extensions. */
export function createPiConnection(
  options: Pick<ProtocolContext, 'spec' | 'stdin' | 'stdout' | 'incomingLineBytes' | 'stallMs'> & Handlers,
): PiConnection {
  const { spec, stdin, stdout, incomingLineBytes, stallMs, onEvent, onDialog } = options;
  const writer = createFrameWriter({ output: stdin, stallMs });
  const pending = new Map<string, (response: JsonRecord) => void>();
  const answering = createRequestAnswering(writer, () => reader.breakOff({ reason: 'stalled' }));
  const reader = readMessages<JsonRecord>({
    stdout,
    incomingLineBytes: incomingLineBytes * ECHOES,
    allowanceBytes: spec.limits?.outputBytes,
    parse: parseJsonObject,
    async handle(message) {
      const id = stringOf(message.id) ?? '';
      if (message.type === 'response') {
        pending.get(id)?.(message);
        pending.delete(id);
      } else if (message.type === 'extension_ui_request') {
        if (!isDialog(message)) return;
        await answering.answer(async () => ({ type: 'extension_ui_response', id, ...(await onDialog(message)) }));
      } else {
        await onEvent(message);
      }
    },
  });
  const send: PiConnection['send'] = (id, frame, hooks) => {
    const answered = new Promise<Response>((resolve) =>
      pending.set(id, (response) => resolve({ status: 'answered', response })),
    );
    const ended = reader.closed.then((end): Response => ({ status: 'closed', end }));
    return { written: writer.write(frame, hooks), response: Promise.race([answered, ended]) };
  };
  return {
    closed: reader.closed,
    closeWhenDrained: reader.closeWhenDrained,
    resetAllowance: reader.resetAllowance,
    send,
    ask(type) {
      const id = randomUUID();
      return send(
        id,
        createFrame(() => ({ id, type })),
      ).response;
    },
  };
}

const isDialog = ({ method }: JsonRecord): boolean => /^(?:select|confirm|input|editor)$/.test(String(method));
