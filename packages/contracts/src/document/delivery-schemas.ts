import attachment from '../../golden/v1/dto.attachment.json' with { type: 'json' };
import capability from '../../golden/v1/dto.capability.json' with { type: 'json' };
import delivery from '../../golden/v1/dto.delivery.json' with { type: 'json' };
import plan from '../../golden/v1/dto.delivery-plan.blocked.json' with { type: 'json' };
import message from '../../golden/v1/dto.message.json' with { type: 'json' };
import * as attachments from '../delivery/attachment.ts';
import * as capabilities from '../delivery/capability.ts';
import * as deliveries from '../delivery/delivery.ts';
import { failureCodeSchema, failureSchema, warningSchema } from '../delivery/failure.ts';
import * as messages from '../delivery/message.ts';
import * as plans from '../delivery/plan.ts';
import type { NamedSchemas } from './named-schema.ts';
import * as requests from './request-examples.ts';

const [inlineImage, decodedText, preview, pageImage, documentText, pageImages] = plans.planRecipeSchema.options;

/** Files, and what a target takes of them. */
export const attachmentSchemas: NamedSchemas = {
  Attachment: {
    schema: attachments.attachmentSchema,
    description: 'The descriptor: what is said of a file instead of its bytes.',
    examples: [attachment],
  },
  AttachmentKind: { schema: attachments.attachmentKindSchema, description: 'What the file is to a model.' },
  AttachmentOrigin: {
    schema: attachments.attachmentOriginSchema,
    description: 'Where the file came from. `agent`: media taken out of an agent’s own output.',
  },
  AttachmentSource: {
    schema: attachments.attachmentSourceSchema,
    description: 'How a person or program brought the file in.',
  },
  AttachmentStatus: {
    schema: attachments.attachmentStatusSchema,
    description: '`pending`: not inspected yet. `rejected`: it can be downloaded and is never delivered.',
  },
  AttachmentFacts: {
    schema: attachments.attachmentFactsSchema,
    description: 'What inspection found. What is absent is not known.',
  },
  Variant: { schema: attachments.variantSchema, description: 'Bytes derived from the original for one purpose.' },
  VariantPurpose: { schema: attachments.variantPurposeSchema, description: 'What a variant is for.' },
  Crop: { schema: attachments.cropSchema, description: 'A rectangle of the source, in its pixels.' },
  Warning: { schema: warningSchema, description: 'Something worth knowing that stops nothing by itself.' },
  Failure: {
    schema: failureSchema,
    description: 'Why something was refused or failed. Holds no content, key or path.',
  },
  FailureCode: {
    schema: failureCodeSchema,
    description: 'Why an attachment or a delivery failed. Each has a page at `/docs/errors/{code}`.',
  },
  Capability: {
    schema: capabilities.capabilitySchema,
    description: 'What a target accepts, with evidence.',
    examples: [capability],
  },
  KindCapability: {
    schema: capabilities.kindCapabilitySchema,
    description: 'What a target accepts of one kind of file. An absent limit is not known.',
  },
  Evidence: { schema: capabilities.evidenceSchema, description: 'Why something is held to be so.' },
  TriState: { schema: capabilities.triStateSchema, description: 'What is `unknown` is not allowed.' },
  CapabilityOverride: {
    schema: capabilities.capabilityOverrideSchema,
    description: 'What the tenant says of a model: only what is unknown can become a yes, and limits get tighter.',
  },
  OverrideRequest: {
    schema: capabilities.overrideRequestSchema,
    description: 'An override, with its reason.',
    examples: [requests.saveOverride],
  },
  TenantOverride: { schema: capabilities.tenantOverrideSchema, description: 'An override of the tenant.' },
};

/** Messages, their plans and what became of them. */
export const deliverySchemas: NamedSchemas = {
  Message: { schema: messages.messageSchema, description: 'A message to agents of a session.', examples: [message] },
  SendMessageRequest: {
    schema: messages.sendMessageRequestSchema,
    description: 'A message: text, or attachments, or both.',
    examples: [requests.sendMessage],
  },
  InlineAttachment: {
    schema: messages.inlineAttachmentSchema,
    description: 'A file inside a message, for clients that do not upload. It becomes an attachment at once.',
  },
  PlanRequest: {
    schema: messages.planRequestSchema,
    description: 'A message that is not sent.',
    examples: [requests.planMessage],
  },
  ProjectionRequest: {
    schema: messages.projectionRequestSchema,
    description: 'Earlier messages, or a draft: one of them.',
    examples: [requests.projectMessage],
  },
  DeliveryPlan: {
    schema: plans.deliveryPlanSchema,
    description: 'What each attachment of a message becomes for one agent, or why it is blocked.',
    examples: [plan],
  },
  ProjectionPlan: {
    schema: plans.projectionPlanSchema,
    description: 'What each attachment of a message becomes for a model, or why it is blocked.',
  },
  PlanItem: { schema: plans.planItemSchema, description: 'What one attachment becomes.' },
  PlanForm: {
    schema: plans.planFormSchema,
    description: 'What an attachment becomes. `variant`: one derived file of the same kind.',
  },
  PlanChecks: { schema: plans.planChecksSchema, description: 'The gates in their order.' },
  PlanRecipe: { schema: plans.planRecipeSchema, description: 'How the form is made.' },
  InlineImageRecipe: { schema: inlineImage, description: 'An image that fits the model.' },
  DecodedTextRecipe: { schema: decodedText, description: 'A text in UTF-8.' },
  PreviewRecipe: { schema: preview, description: 'A small image for people.' },
  PageImageRecipe: { schema: pageImage, description: 'One page of a document as an image.' },
  DocumentTextRecipe: { schema: documentText, description: 'The text of a document.' },
  PageImagesRecipe: { schema: pageImages, description: 'All pages of a document as images.' },
  Budget: { schema: plans.budgetSchema, description: 'How much of each limit the message takes.' },
  BudgetEntry: { schema: plans.budgetEntrySchema, description: 'How much of one limit the message takes.' },
  Delivery: {
    schema: deliveries.deliverySchema,
    description: 'One message to one agent, with its plan, receipt and timeline.',
    examples: [delivery],
  },
  DeliveryStatus: {
    schema: deliveries.deliveryStatusSchema,
    description: 'How far the delivery came. `written`: the last byte of the prompt was taken for the agent.',
  },
  Receipt: { schema: deliveries.receiptSchema, description: 'Proof of what was sent to one agent.' },
  ReceiptItem: { schema: deliveries.receiptItemSchema, description: 'What was sent of one attachment.' },
  WireProof: { schema: deliveries.receiptItemSchema.shape.wire.unwrap(), description: 'What left for the provider.' },
  Usage: { schema: deliveries.usageSchema, description: 'What the runtime or the provider counted.' },
  TurnUsage: {
    schema: deliveries.turnUsageSchema,
    description: 'What the runtime or the provider counted, and what was seen of the turn’s requests to models.',
  },
  Transition: { schema: deliveries.transitionSchema, description: 'One step of the delivery.' },
};
