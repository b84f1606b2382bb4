import type { FailureCode, KindCapability } from '@attache/contracts';
import type { Block, PlannableAttachment, PlanRequestInput } from './plan-types.ts';

const nouns = {
  image: 'images',
  document: 'PDF documents',
  text: 'text files',
  audio: 'audio',
  video: 'video',
  unsupported: 'files of this type',
} as const;

/** A media type that no model takes in any form. */
export function blockType({ mimeType }: PlannableAttachment): Block {
  return {
    gate: 'transport',
    code: 'attachment_type_unsupported',
    userMessage: `Files of type ${mimeType} cannot be given to a model. Convert the file to an image or to text, or send the message without it.`,
  };
}

/** Whether the agent's runtime has a way for this kind. What is not known is not allowed (DL-50). */
export function blockTransport(
  { target }: PlanRequestInput,
  attachment: PlannableAttachment,
  { transport }: KindCapability,
): Block | undefined {
  if (transport === 'yes') return undefined;
  const noun = nouns[attachment.kind];
  const what =
    transport === 'no'
      ? `The agent's runtime (${target.runtime}, profile ${target.profile}) does not carry ${noun}.`
      : `The agent of profile ${target.profile} has not yet said whether it carries ${noun}.`;
  return {
    gate: 'transport',
    code: 'attachment_runtime_unsupported',
    userMessage: `${what} ${otherWay(attachment)}`,
  };
}

/** Whether the model understands this kind. Unknown passes only with an override (DL-66). */
export function blockModel(
  { target, isUnknownOverridden }: PlanRequestInput,
  attachment: PlannableAttachment,
  { model }: KindCapability,
): Block | undefined {
  if (model === 'yes' || (model === 'unknown' && isUnknownOverridden)) return undefined;
  const noun = nouns[attachment.kind];
  const userMessage =
    model === 'no'
      ? `The model ${target.model} does not take ${noun}. ${otherWay(attachment)}`
      : `It is not known whether the model ${target.model} takes ${noun}. State it in the capability of profile ${target.profile}, or choose a model that is known to.`;
  return { gate: 'model', code: codeOf(attachment, model), userMessage };
}

function codeOf({ kind }: PlannableAttachment, model: 'no' | 'unknown'): FailureCode {
  if (kind === 'image')
    return model === 'no' ? 'attachment_model_vision_unsupported' : 'attachment_model_vision_unknown';
  return model === 'no' ? 'attachment_model_unsupported' : 'attachment_model_unknown';
}

function otherWay({ kind }: PlannableAttachment): string {
  if (kind === 'image') return 'Choose an agent whose model takes images, or send the message without the image.';
  if (kind === 'document') return 'Send its pages as images or its text as a text file, or choose another agent.';
  return 'Send what matters as text, choose another agent, or send the message without the attachment.';
}
