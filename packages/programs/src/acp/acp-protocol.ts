import { createJsonRpcConnection } from '@attache/agent-process/json-rpc/json-rpc-connection';
import { hasFiles } from '@attache/agent-process/messages/has-files';
import type { OpenedSession, OpenFailure, Protocol, ProtocolContext } from '@attache/agent-process/protocol';
import { createSpoilWatch } from '../spoiled-conversation.ts';
import type { AcpTraits } from './acp-traits.ts';
import { createAgentSession } from './agent-session.ts';
import { endOfPrompt } from './end-of-prompt.ts';
import { type OpenedAcpSession, openSession } from './open-session.ts';
import { promptFrame } from './prompt-frame.ts';

/** The Agent Client Protocol, version 1, with the agent of one session. */
export function speakAcp(context: ProtocolContext, traits: AcpTraits): Protocol {
  const { spec, stdin, stdout, client, incomingLineBytes, stallMs } = context;
  const session = createAgentSession(context, traits);
  const connection = createJsonRpcConnection({
    ...{ stdin, stdout, incomingLineBytes, stallMs },
    allowanceBytes: spec.limits?.outputBytes,
    envelope: { jsonrpc: '2.0' },
    handlers: session.handlers,
  });
  const watchEnd = createSpoilWatch();
  let opened: OpenedAcpSession | undefined;
  return {
    closed: connection.closed,
    closeWhenDrained: connection.closeWhenDrained,
    flush: session.flush,
    get resumeReference() {
      return opened?.isLoadable ? session.id : undefined;
    },
    async open(): Promise<OpenedSession | OpenFailure> {
      const outcome = await openSession({ connection, client, spec, ...traits });
      if (outcome.status === 'opened') {
        opened = outcome;
        session.setId(outcome.sessionId);
      }
      return outcome;
    },
    compose({ deliveryId, parts, contents, trace }) {
      const options = { embedsText: opened?.declared.embeddedContext === true, embedsMedia: traits.embedsMedia };
      return promptFrame({ deliveryId, sessionId: session.id ?? '', parts, contents, options, trace });
    },
    send({ deliveryId, parts }, frame, writeHooks) {
      connection.resetAllowance();
      const { written, answer } = connection.request(deliveryId, frame, writeHooks);
      const end = answer.then((each) => {
        const { troubles, isAnswered } = session.takeTold();
        const ended = endOfPrompt(each, { deliveryId, parts, troubles });
        return traits.resendsRefusedFiles ? watchEnd(ended, { hasAttachments: hasFiles(parts), isAnswered }) : ended;
      });
      return { written, end };
    },
    async interrupt() {
      await connection.notify('session/cancel', { sessionId: session.id });
    },
  };
}
