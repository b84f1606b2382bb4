import type { ConnectionEnd } from '@attache/agent-process/messages/connection-end';
import { hasFiles } from '@attache/agent-process/messages/has-files';
import { type JsonRecord, recordOf } from '@attache/agent-process/messages/json-values';
import type { ProtocolContext, TurnEnd } from '@attache/agent-process/protocol';
import type { DeliveryId, Part, Usage } from '@attache/contracts';
import { createSpoilWatch } from '../../spoiled-conversation.ts';
import { addUsage, endOfRefusal, endOfRun } from './end-of-run.ts';
import { createEventFold } from './fold-events.ts';

export type PiSession = {
  take(event: JsonRecord): Promise<void>;
  /** The end of the run that a prompt begins. */
  expectEnd(deliveryId: DeliveryId, parts: readonly Part[]): Promise<TurnEnd>;
  /** The response to its prompt, where that says that there is no run. */
  refuse(error: unknown): void;
  close(end: ConnectionEnd): void;
  flush(): Promise<void>;
};

type Run = {
  deliveryId: DeliveryId;
  hasAttachments: boolean;
  /** The last message of the model. */
  last: JsonRecord | undefined;
  /** The model has produced text: it has accepted the turn's content. */
  isAnswered: boolean;
  usage: Usage | undefined;
  resolve(end: TurnEnd): void;
};

/** Takes in what pi says. */
export function createPiSession({
  hooks,
  turns,
  incomingLineBytes,
}: Pick<ProtocolContext, 'hooks' | 'turns' | 'incomingLineBytes'>): PiSession {
  const fold = createEventFold(hooks, incomingLineBytes);
  const watchEnd = createSpoilWatch();
  let run: Run | undefined;
  let closedBy: ConnectionEnd | undefined;

  const end = (ended: Run, how: TurnEnd) => {
    run = undefined;
    ended.resolve(watchEnd(how, ended));
  };

  async function settle(): Promise<void> {
    await fold.flush();
    if (run === undefined) return;
    if (run.usage !== undefined) await hooks.onOutput({ type: 'usage', usage: run.usage });
    end(run, endOfRun(run.last, run.usage, run));
  }

  return {
    async take(event) {
      await turns.afterWritten();
      if (event.type === 'agent_settled') return await settle();
      const message = recordOf(event.message);
      if (run !== undefined && event.type === 'message_end' && message.role === 'assistant')
        run = {
          ...run,
          ...{ last: message, usage: addUsage(run.usage, message) },
          isAnswered: run.isAnswered || message.stopReason !== 'error',
        };
      await fold.apply(event);
    },
    expectEnd(deliveryId, parts) {
      if (closedBy !== undefined) return Promise.resolve({ status: 'closed', end: closedBy });
      const { promise, resolve } = Promise.withResolvers<TurnEnd>();
      run = {
        deliveryId,
        hasAttachments: hasFiles(parts),
        last: undefined,
        isAnswered: false,
        usage: undefined,
        resolve,
      };
      return promise;
    },
    refuse(error) {
      if (run !== undefined) end(run, endOfRefusal(error, run));
    },
    close(how) {
      closedBy = how;
      run?.resolve({ status: 'closed', end: how });
    },
    flush: fold.flush,
  };
}
