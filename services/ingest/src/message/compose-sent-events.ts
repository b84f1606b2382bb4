import { type DeliveryPlan, type EventData, idFromUuid, type MessageId } from '@attache/contracts';
import { describeAgent, type NewEvent, type NewMessage } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { PlannedMessage } from './plan-message.ts';

function describeLeftOut(plans: readonly DeliveryPlan[]): Pick<EventData<'message.accepted'>, 'leftOut'> {
  const blocked = plans.filter(({ decision }) => decision === 'blocked');
  if (blocked.length === 0) return {};
  return {
    leftOut: blocked.map(({ agentId, failures }) => {
      return { agentId, codes: [...new Set(failures.map(({ code }) => code))] };
    }),
  };
}

/** Which agents get something of which it is not known that their models take it: someone said so for this message (DL-66). */
function describeOverridden({ agents, plans }: PlannedMessage, messageId: MessageId): NewEvent['data'] | undefined {
  const targets = agents.flatMap((agent, index) => {
    const isUnknown = plans[index]?.items.some(({ checks }) => checks.model === 'unknown');
    const { id, target } = describeAgent(agent);
    return isUnknown ? [{ agentId: id, ...target }] : [];
  });
  return targets.length === 0 ? undefined : { messageId, targets };
}

/** Uuids of the new rows. `deliveryIds` in the order of the agents. */
export type SentIds = { messageId: string; deliveryIds: string[] };

/** The events of the session log for a message that is accepted. */
export function composeSentEvents(
  caller: Caller,
  planned: PlannedMessage & { all: readonly DeliveryPlan[]; deliveries: NewMessage['deliveries'] },
  ids: SentIds,
  grants: NewMessage['grants'],
): NewEvent[] {
  const messageId = idFromUuid('message', ids.messageId);
  const { actor } = caller;
  const accepted: NewEvent = {
    kind: 'message.accepted',
    actor,
    data: {
      messageId,
      to: planned.agents.map((agent) => idFromUuid('agent', agent.id)),
      attachmentIds: planned.attachments.map(({ attachment }) => attachment.id),
      deliveryIds: ids.deliveryIds.map((id) => idFromUuid('delivery', id)),
      ...describeLeftOut(planned.all),
    },
  };
  const overridden = describeOverridden(planned, messageId);
  const granted = grants.map((grant): NewEvent => {
    const grantId = idFromUuid('grant', grant.id);
    const attachmentId = idFromUuid('attachment', grant.attachmentId);
    const data = { grantId, attachmentId, agentId: idFromUuid('agent', grant.agentId), messageId };
    return { kind: 'grant.created', actor, data };
  });
  return [
    accepted,
    ...(overridden ? [{ kind: 'capability.overridden', actor, data: overridden } as NewEvent] : []),
    ...granted,
    ...planned.deliveries.flatMap(({ prepare }) => prepare?.events ?? []),
  ];
}
