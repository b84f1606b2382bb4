import type { DeliverRequest } from '@attache/agent-process';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import type { ConnectionEnd } from '@attache/agent-process/messages/connection-end';
import { failureOfEnd, startFailed } from '@attache/agent-process/open-failure';
import type { OpenedSession, OpenFailure, Protocol, ProtocolContext } from '@attache/agent-process/protocol';
import { within } from '@attache/agent-process/within';
import { type ByteReference, uuidFromId } from '@attache/contracts';
import { projectToClaude } from '../projection/project-to-claude.ts';
import { createClaudeConnection } from './claude-connection.ts';
import { createClaudeSession } from './claude-session.ts';

/** Claude Code's lines: a user message a turn, control requests both ways, and a `result` at the end of each turn. */
export function speakClaude(context: ProtocolContext): Protocol {
  const { spec } = context;
  const session = createClaudeSession(context);
  const connection = createClaudeConnection({ ...context, onMessage: session.take, onRequest: session.answer });
  void connection.closed.then(session.close);
  return {
    closed: connection.closed,
    closeWhenDrained: connection.closeWhenDrained,
    flush: session.flush,
    get resumeReference() {
      return session.id;
    },
    open: () => open(connection, spec.startMs, spec.resumeReference !== undefined),
    compose: userFrame,
    send(request, frame, hooks) {
      connection.resetAllowance();
      const end = session.expectResult(request.deliveryId, request.parts);
      return { written: connection.write(frame, hooks), end };
    },
    interrupt: () => connection.tell({ subtype: 'interrupt' }),
  };
}

/** Every tool call comes to the hook, whatever the permission mode would let pass. */
const initialize = { subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: ['gate'] }] } };

async function open(
  connection: ReturnType<typeof createClaudeConnection>,
  startMs: number,
  isResumed: boolean,
): Promise<OpenedSession | OpenFailure> {
  const answer = await within(connection.ask(initialize), startMs);
  if (answer === 'timeout') return startFailed('initialize was not answered in time');
  if ('reason' in answer) return failureOfEnd('initialize', answer as ConnectionEnd);
  if (answer.subtype !== 'success') return startFailed(`initialize: ${String(answer.error)}`);
  return { status: 'opened', declared: { image: true, audio: false, embeddedContext: true }, isResumed };
}

/** The user line of a delivery. Its uuid is the delivery's own, and is in the program's transcript. */
function userFrame({ deliveryId, parts, contents }: DeliverRequest): Frame {
  return createFrame((embed) => {
    const rendering = {
      base64: (reference: ByteReference) => embed(contents.embedded(reference)),
      text: (reference: ByteReference) => contents.text(reference),
    };
    return { ...projectToClaude(parts, rendering), uuid: uuidFromId(deliveryId), parent_tool_use_id: null };
  });
}
