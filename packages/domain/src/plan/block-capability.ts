import type { Evidence, FailureCode, KindCapability } from '@attache/contracts';
import type { CarriedKind } from '../catalog/catalog-row.ts';
import type { Block, PlannableAttachment, PlanRequestInput } from './plan-types.ts';

export const nouns: Record<CarriedKind, string> = {
  image: 'images',
  document: 'PDF documents',
  text: 'text files',
  audio: 'audio',
  video: 'video',
};

/** A media type that no model takes in any form; tools of an agent's own may. */
export function blockType({ mimeType }: PlannableAttachment, input: PlanRequestInput): Block {
  return {
    gate: 'transport',
    code: 'attachment_type_unsupported',
    userMessage: `Files of type ${mimeType} cannot be given to a model. Convert the file to an image, a PDF or text, ${wayByTool(input)}, or send the message without it.`,
  };
}

/** Who is meant by a target's transport. */
export function nameTransport({ target }: PlanRequestInput): string {
  return target.profile === undefined
    ? `The format ${target.runtime}`
    : `The agent's runtime (${target.runtime}, profile ${target.profile})`;
}

/** Whether the target has a way for this kind. What is not known is not allowed (DL-50). */
export function blockTransport(
  input: PlanRequestInput,
  as: CarriedKind,
  { transport, evidence }: KindCapability,
): Block | undefined {
  if (transport === 'yes') return undefined;
  const what =
    transport === 'no'
      ? describeRefusal(input, as, evidence?.transport)
      : `${nameTransport(input)} has not yet said whether it carries ${nouns[as]}.`;
  return { gate: 'transport', code: 'attachment_runtime_unsupported', userMessage: `${what} ${otherWay(as, input)}` };
}

function describeRefusal(input: PlanRequestInput, as: CarriedKind, evidence: Evidence | undefined): string {
  if (evidence?.source !== 'contradicted') return `${nameTransport(input)} does not carry ${nouns[as]}.`;
  return `${nameTransport(input)} does not bring ${nouns[as]} to its model as it was known to. ${evidence.note}`;
}

/** Whether the model understands this kind. Unknown passes only with an override (DL-66). */
export function blockModel(input: PlanRequestInput, as: CarriedKind, { model }: KindCapability): Block | undefined {
  const { target, isUnknownOverridden } = input;
  if (model === 'yes' || (model === 'unknown' && isUnknownOverridden)) return undefined;
  const where =
    target.profile === undefined ? '' : `State it in the capability of profile ${target.profile}, override it, or `;
  const userMessage =
    model === 'no'
      ? `The model ${target.model} does not take ${nouns[as]}. ${otherWay(as, input)}`
      : `It is not known whether the model ${target.model} takes ${nouns[as]}. ${where || 'Say overrideUnknown, or '}choose a model that is known to.`;
  return { gate: 'model', code: codeOf(as, model), userMessage };
}

function codeOf(as: CarriedKind, model: 'no' | 'unknown'): FailureCode {
  if (as === 'image') return model === 'no' ? 'attachment_model_vision_unsupported' : 'attachment_model_vision_unknown';
  return model === 'no' ? 'attachment_model_unsupported' : 'attachment_model_unknown';
}

function otherWay(as: CarriedKind, input: PlanRequestInput): string {
  if (as === 'image') return 'Choose an agent whose model takes images, or send the message without the image.';
  if (as === 'document') return 'Send its pages as images or its text as a text file, or choose another agent.';
  return `Send what matters as text, ${wayByTool(input)}, or send the message without the attachment.`;
}

/** How a file can reach an agent that reads it with its own tools. */
function wayByTool({ capability, target }: PlanRequestInput): string {
  return capability.files?.read === 'no'
    ? `have the operator allow the tools of profile ${target.profile} ("permissionMode": "gated"), with which its agent can read the file`
    : 'choose an agent whose program may read files with its own tools';
}
