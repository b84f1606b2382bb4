import type { EventKind } from './events.ts';

/** When each kind of event is written to a session's log. */
export const eventExplanations: Record<EventKind, string> = {
  'session.created': 'The session was made, with these agents.',
  'session.ended': 'The session was ended. Its agents are stopped, and what they kept is removed.',
  'session.parked':
    'Three gateways in a row died while a delivery of the session was under way. Its messages wait, and are kept, until an operator unparks it.',
  'agent.added': 'An agent joined the session, at its beginning or later.',
  'agent.target_changed':
    'The agent got another target; what waited for it was planned again, and `deliveries` says how.',
  'capability.overridden':
    'A message was accepted although something is not known of a model, because its sender may say so.',
  'agent.started':
    'A process of the agent runs. `epoch` is that of the gateway which owns the session; `continuedBy` says what it begins with.',
  'agent.rebuilt':
    'The process remembers nothing of the conversation, and gets what the log tells of it with its first message. `omittedMessages` found no room.',
  'agent.checkpointed':
    'The files that the program of the agent needs to continue after this delivery are stored. With `refused`, nothing is stored, and it says why.',
  'agent.restored': 'The process begins with the files of a checkpoint: the folder of its agent did not have them.',
  'agent.stopped': 'That process has ended. `diagnostic` has its last words, redacted, where it crashed.',
  'attachment.added':
    'A file is stored and recorded. It is inspected next, unless `attachment.ready` follows at once: text and unknown bytes are inspected as they come in.',
  'attachment.ready': 'The file was inspected: its type and facts are what was found in its bytes.',
  'attachment.rejected':
    'The file did not pass inspection, or its inspection was given up. It can be downloaded and is never delivered.',
  'attachment.deleted': 'The file was deleted. From now on its id is unknown everywhere.',
  'attachment.quarantined':
    'The model of the agent refused the file. It is taken out of all that the agent sends from then on, and a text says so in its place.',
  'attachment.quarantine_ended': 'The file may be sent to the model of that agent again.',
  'message.accepted':
    'A message was accepted, with one delivery per agent; `leftOut` names those that get nothing, where the sender allowed it.',
  'delivery.queued':
    'The delivery waits again: a failed one is tried once more, as `attempt` says, or its gateway died before the first byte was written. `message.accepted` announces a new delivery.',
  'delivery.prepared':
    'The parts of the delivery are ready, and it waits for its agent. If nothing had to be made, this event comes together with `message.accepted`.',
  'delivery.claimed': 'The gateway that owns the session has taken it.',
  'delivery.written':
    'The runtime of the agent has taken the last byte of the prompt. agents.md says what that means for each runtime.',
  'delivery.responded':
    'The runtime said that the turn has ended. `receipt` says what was sent; `diagnostic` what was not taken, although the turn was answered.',
  'delivery.failed':
    'The delivery ended with a failure, whose `retryable` says whether the same message can be tried again.',
  'delivery.cancelled': 'The delivery ended before its first byte was written.',
  'agent.output':
    'The agent said something: one finished item. `deliveryId` is missing where it spoke outside of a turn.',
  'tool.called': 'A tool call of the agent may run.',
  'tool.blocked': 'A tool call of the agent did not run; `reason` is what the agent was told.',
  'tool.completed': 'A tool call has ended, in the words of the program.',
  'resource.viewed': 'The agent read a file by a tool; `view` is the part that it asked for, and all of it without.',
  'grant.created': 'The agent may read the file; `messageId` where a message gave that right.',
  'grant.revoked': 'That right was taken back.',
};
