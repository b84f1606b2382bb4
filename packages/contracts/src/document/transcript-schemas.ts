import agentItem from '../../golden/v1/dto.transcript-entry.agent.output.json' with { type: 'json' };
import { acceptedKindSchema, policyAgentSchema, sessionPolicySchema } from '../delivery/policy.ts';
import { transcriptAttachmentSchema, transcriptEntrySchema, unreadableReasonSchema } from '../events/transcript.ts';
import type { NamedSchemas } from './named-schema.ts';

const [message, item, toolCall, view, delivery, attachment, agent, session, unreadable] = transcriptEntrySchema.options;

/** What is read back of a session: its transcript, and what may be sent in it. */
export const readingSchemas: NamedSchemas = {
  TranscriptEntry: {
    schema: transcriptEntrySchema,
    description: 'One entry of the transcript: an event of the log for people, by its `type`.',
    examples: [agentItem],
  },
  MessageEntry: { schema: message, description: 'A message, with its text and what it names.' },
  AgentItemEntry: { schema: item, description: 'One finished item of an agent’s output.' },
  ToolCallEntry: { schema: toolCall, description: 'A step of a tool call.' },
  ViewEntry: { schema: view, description: 'A look of an agent at a file.' },
  DeliveryEntry: { schema: delivery, description: 'A step of a delivery.' },
  AttachmentEntry: { schema: attachment, description: 'What became of a file.' },
  AgentEntry: { schema: agent, description: 'An agent that was added or got another target.' },
  SessionEntry: { schema: session, description: 'The end of the session.' },
  UnreadableEntry: { schema: unreadable, description: 'An event that this release cannot read.' },
  UnreadableReason: { schema: unreadableReasonSchema, description: 'Why it cannot be read.' },
  TranscriptAttachment: {
    schema: transcriptAttachmentSchema,
    description: 'A file as it is now. Of one that is deleted or unknown only the id.',
  },
  SessionPolicy: { schema: sessionPolicySchema, description: 'What may be sent in a session, now.' },
  PolicyAgent: { schema: policyAgentSchema, description: 'What one agent of the session takes.' },
  AcceptedKind: { schema: acceptedKindSchema, description: 'What a target takes of one kind of file.' },
};
