import type { DeliverRequest } from '@attache/agent-process';
import type { Frame } from '@attache/agent-process/frames/create-frame';
import type { WriteHooks } from '@attache/agent-process/frames/write-frame';
import { createJsonRpcConnection } from '@attache/agent-process/json-rpc/json-rpc-connection';
import type { OpenedSession, OpenFailure, Protocol, ProtocolContext, SentTurn } from '@attache/agent-process/protocol';
import { within } from '@attache/agent-process/within';
import { createCodexSession } from './codex-session.ts';
import { openThread } from './open-thread.ts';
import { steerFrame, turnFrame } from './turn-frame.ts';

const FORGET_MS = 5_000;

/** The protocol of `codex app-server`: JSON-RPC without its version, one thread, turns that may be steered. */
export function speakCodex(context: ProtocolContext): Protocol {
  const { spec, stdin, stdout, client, incomingLineBytes, stallMs } = context;
  const explain = (reason: string) => {
    const expectedTurnId = session.turns.id;
    const input = [{ type: 'text', text: reason, text_elements: [] }];
    void connection.ask('turn/steer', { threadId, expectedTurnId, input });
  };
  const forget = async (beforeTurnId: string) => {
    const answer = await within(connection.ask('thread/revert', { threadId, beforeTurnId }), FORGET_MS);
    return answer !== 'timeout' && answer.status === 'result';
  };
  const session = createCodexSession(context, { explain, forget });
  const connection = createJsonRpcConnection({
    ...{ stdin, stdout, incomingLineBytes, stallMs },
    allowanceBytes: spec.limits?.outputBytes,
    envelope: {},
    handlers: session.handlers,
  });
  void connection.closed.then(session.turns.close);
  let threadId = '';
  const send = (request: DeliverRequest, frame: Frame, hooks: WriteHooks, isSteering: boolean): SentTurn => {
    const { written, answer } = connection.request(request.deliveryId, frame, hooks);
    return { written, end: session.turns.endOf(answer, request, isSteering) };
  };
  return {
    closed: connection.closed,
    closeWhenDrained: connection.closeWhenDrained,
    flush: session.flush,
    get resumeReference() {
      return threadId === '' ? undefined : threadId;
    },
    async open(): Promise<OpenedSession | OpenFailure> {
      const opened = await openThread(connection, spec, client);
      if (opened.status === 'opened') threadId = opened.threadId;
      session.setThread(threadId);
      return opened;
    },
    compose: (request) => turnFrame(threadId, request, spec.sandbox !== undefined),
    send(request, frame, hooks) {
      connection.resetAllowance();
      return send(request, frame, hooks, false);
    },
    steering: {
      isOpen: () => session.turns.id !== undefined,
      awaitOpen: async () => (await session.turns.awaitId()) !== undefined,
      compose: (request) => steerFrame(threadId, session.turns.id ?? '', request),
      send: (request, frame, hooks) => send(request, frame, hooks, true),
    },
    async interrupt() {
      const turnId = await session.turns.awaitId();
      if (turnId !== undefined) await connection.ask('turn/interrupt', { threadId, turnId });
    },
  };
}
