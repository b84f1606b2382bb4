import { type JsonRecord, recordOf, recordsOf, stringOf } from '@attache/agent-process/messages/json-values';
import { failureOfEnd, startFailed } from '@attache/agent-process/open-failure';
import type { OpenedSession, OpenFailure, Protocol, ProtocolContext } from '@attache/agent-process/protocol';
import { within } from '@attache/agent-process/within';
import { GATE_COMMAND } from '../extension/gate-dialog.ts';
import { answerDialog } from './answer-dialog.ts';
import { createPiConnection, type PiConnection } from './pi-connection.ts';
import { createPiSession } from './pi-session.ts';
import { promptFrame } from './prompt-frame.ts';

/** pi's RPC mode: a command a turn, events until `agent_settled`, and the dialogs of our extension. */
export function speakPi(context: ProtocolContext): Protocol {
  const { spec, hooks, turns } = context;
  const session = createPiSession(context);
  const connection = createPiConnection({
    ...context,
    onEvent: session.take,
    onDialog: (dialog) => answerDialog(dialog, hooks, turns.interrupted()),
  });
  void connection.closed.then(session.close);
  let resumeReference: string | undefined;
  return {
    closed: connection.closed,
    closeWhenDrained: connection.closeWhenDrained,
    flush: session.flush,
    get resumeReference() {
      return resumeReference;
    },
    async open() {
      const opened = await within(open(connection), spec.startMs);
      if (opened === 'timeout') return startFailed('its state was not told in time');
      if (opened.status === 'failed') return opened;
      resumeReference = opened.sessionId;
      return { ...opened.session, isResumed: spec.resumeReference !== undefined };
    },
    compose: promptFrame,
    send(request, frame, writeHooks) {
      connection.resetAllowance();
      const end = session.expectEnd(request.deliveryId, request.parts);
      const { written, response } = connection.send(request.deliveryId, frame, writeHooks);
      void response.then((each) => {
        if (each.status === 'answered' && each.response.success !== true) session.refuse(each.response.error);
      });
      return { written, end };
    },
    async interrupt() {
      void connection.ask('abort');
    },
  };
}

type Opened = { status: 'opened'; session: Omit<OpenedSession, 'isResumed'>; sessionId: string | undefined };

/** A program without our extension would ask nobody about its calls: it is not worked with. */
async function open(connection: PiConnection): Promise<Opened | OpenFailure> {
  const commands = await askFor(connection, 'get_commands');
  if (commands.status === 'failed') return commands;
  const isGated = recordsOf(commands.data.commands).some(({ name }) => name === GATE_COMMAND);
  if (!isGated) return startFailed('its extension was not loaded, by which the gateway is asked about calls');
  const state = await askFor(connection, 'get_state');
  if (state.status === 'failed') return state;
  const declared = { image: true, audio: false, embeddedContext: false };
  return { status: 'opened', session: { status: 'opened', declared }, sessionId: stringOf(state.data.sessionId) };
}

type Told = { status: 'told'; data: JsonRecord } | OpenFailure;

async function askFor(connection: PiConnection, command: string): Promise<Told> {
  const answer = await connection.ask(command);
  if (answer.status === 'closed') return failureOfEnd(command, answer.end);
  const { success, data, error } = answer.response;
  return success === true ? { status: 'told', data: recordOf(data) } : startFailed(`${command}: ${String(error)}`);
}
