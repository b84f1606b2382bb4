import type { EventKind } from './events.ts';

export type EventRule = {
  /** When it is written to a session's log, for people. */
  when: string;
  /** Whether people see it in the transcript. */
  isShown: boolean;
  /** Whether it may be part of the history that an agent gets again: what people and agents said, and what was done to their files. */
  isInHistory: boolean;
};

/** The readers of each kind of event, and the moment at which it is written. */
export const eventRules = {
  'session.created': {
    when: 'The session was made, with these agents.',
    isShown: false,
    isInHistory: false,
  },
  'session.ended': {
    when: 'The session was ended. Its agents are stopped, and what they kept is removed.',
    isShown: true,
    isInHistory: false,
  },
  'session.parked': {
    when: 'Three gateways in a row died while a delivery of the session was under way. Its messages wait, and are kept, until an operator unparks it.',
    isShown: false,
    isInHistory: false,
  },
  'agent.added': {
    when: 'An agent joined the session, at its beginning or later.',
    isShown: true,
    isInHistory: false,
  },
  'agent.target_changed': {
    when: 'The agent got another target; what waited for it was planned again, and `deliveries` says how.',
    isShown: true,
    isInHistory: false,
  },
  'capability.overridden': {
    when: 'A message was accepted although something is not known of a model, because its sender may say so.',
    isShown: false,
    isInHistory: false,
  },
  'agent.started': {
    when: 'A process of the agent runs. `epoch` is that of the gateway which owns the session; `continuedBy` says what it begins with.',
    isShown: false,
    isInHistory: false,
  },
  'agent.rebuilt': {
    when: 'The process remembers nothing of the conversation, and gets what the log tells of it with its first message. `omittedMessages` found no room.',
    isShown: false,
    isInHistory: false,
  },
  'agent.checkpointed': {
    when: 'The files that the program of the agent needs to continue after this delivery are stored. With `refused`, nothing is stored, and it says why.',
    isShown: false,
    isInHistory: false,
  },
  'agent.restored': {
    when: 'The process begins with the files of a checkpoint: the folder of its agent did not have them.',
    isShown: false,
    isInHistory: false,
  },
  'agent.stopped': {
    when: 'That process has ended. `diagnostic` has its last words, redacted, where it crashed.',
    isShown: false,
    isInHistory: false,
  },
  'attachment.added': {
    when: 'A file is stored and recorded. It is inspected next, unless `attachment.ready` follows at once: text and unknown bytes are inspected as they come in.',
    isShown: true,
    isInHistory: true,
  },
  'attachment.ready': {
    when: 'The file was inspected: its type and facts are what was found in its bytes. It comes again where a caller names the encoding of a text.',
    isShown: true,
    isInHistory: false,
  },
  'attachment.rejected': {
    when: 'The file did not pass inspection, or its inspection was given up. It can be downloaded and is never delivered.',
    isShown: true,
    isInHistory: false,
  },
  'attachment.deleted': {
    when: 'The file was deleted. From now on its id is unknown everywhere.',
    isShown: true,
    isInHistory: false,
  },
  'attachment.quarantined': {
    when: 'The model of the agent refused the file. It is taken out of all that the agent sends from then on, and a text says so in its place.',
    isShown: true,
    isInHistory: true,
  },
  'attachment.quarantine_ended': {
    when: 'The file may be sent to the model of that agent again.',
    isShown: true,
    isInHistory: true,
  },
  'attachment.set_aside': {
    when: 'The conversation of the agent has more pictures than its model takes at once. This one is among the oldest: a text takes its place in all that the agent sends from then on, and `resource_view` shows it again.',
    isShown: true,
    isInHistory: false,
  },
  'message.accepted': {
    when: 'A message was accepted, with one delivery per agent; `leftOut` names those that get nothing, where the sender allowed it.',
    isShown: true,
    isInHistory: true,
  },
  'delivery.queued': {
    when: 'The delivery waits again: a failed one is tried once more, as `attempt` says, or its gateway died before the first byte was written. `message.accepted` announces a new delivery.',
    isShown: false,
    isInHistory: false,
  },
  'delivery.prepared': {
    when: 'The parts of the delivery are ready, and it waits for its agent. If nothing had to be made, this event comes together with `message.accepted`.',
    isShown: false,
    isInHistory: false,
  },
  'delivery.claimed': {
    when: 'The gateway that owns the session has taken it.',
    isShown: false,
    isInHistory: false,
  },
  'delivery.written': {
    when: 'The runtime of the agent has taken the last byte of the prompt. agents.md says what that means for each runtime.',
    isShown: true,
    isInHistory: true,
  },
  'delivery.responded': {
    when: 'The runtime said that the turn has ended. `receipt` says what was sent; `diagnostic` warns of what was not taken, was not opened or reached no model, although the turn was answered.',
    isShown: true,
    isInHistory: false,
  },
  'delivery.failed': {
    when: 'The delivery ended with a failure, whose `retryable` says whether the same message can be tried again.',
    isShown: true,
    isInHistory: false,
  },
  'delivery.cancelled': {
    when: 'The delivery ended before its first byte was written.',
    isShown: true,
    isInHistory: false,
  },
  'agent.output': {
    when: 'The agent said something: one finished item. `deliveryId` is missing where it spoke outside of a turn.',
    isShown: true,
    isInHistory: true,
  },
  'tool.called': {
    when: 'A tool call of the agent may run.',
    isShown: true,
    isInHistory: false,
  },
  'tool.blocked': {
    when: 'A tool call of the agent did not run; `reason` is what the agent was told.',
    isShown: true,
    isInHistory: false,
  },
  'tool.completed': {
    when: 'A tool call has ended, in the words of the program.',
    isShown: true,
    isInHistory: false,
  },
  'resource.viewed': {
    when: 'The agent read a file by a tool; `view` is the part that it asked for, and all of it without.',
    isShown: true,
    isInHistory: true,
  },
  'grant.created': {
    when: 'The agent may read the file; `messageId` where a message gave that right.',
    isShown: false,
    isInHistory: false,
  },
  'grant.revoked': {
    when: 'That right was taken back.',
    isShown: false,
    isInHistory: false,
  },
} as const satisfies Record<EventKind, EventRule>;

/** The kinds that people see in the transcript. */
export type ShownKind = { [K in EventKind]: (typeof eventRules)[K]['isShown'] extends true ? K : never }[EventKind];
