import type { Evidence, FailureCode, KindCapability, PlanChecks, Warning } from '@attache/contracts';
import type { CarriedKind } from '../catalog/catalog-row.ts';
import { orderBlocks } from './gates.ts';
import type { Block, OpenDraft, PlannableAttachment, PlanRequestInput } from './plan-types.ts';

/**
 * The draft as a form of this kind: what the gates of transport and model say, and which of them do not let it through.
 * `isKnown`: the target says what it takes of the kind, so that it can be judged what would have to be made.
 */
export type GatedKind = { kind: KindCapability; draft: OpenDraft; blocks: readonly Block[]; isKnown: boolean };

/** Passes an attachment through transport and model as a kind, which is not its own where it would be converted (DL-63). */
export function gateKind(draft: OpenDraft, as: CarriedKind, input: PlanRequestInput): GatedKind {
  const kind = input.capability[as];
  const checks: PlanChecks = { ...draft.checks, transport: kind.transport, model: kind.model };
  const blocks = orderBlocks([blockTransport(input, as, kind), blockModel(input, as, kind)]);
  const isOpen = blocks.length === 0;
  const warnings = isOpen
    ? [...draft.warnings, ...warnUnknown(kind, input), ...warnAltered(kind, input)]
    : draft.warnings;
  return { kind, draft: { ...draft, checks, warnings }, blocks, isKnown: isOpen || kind.mimeTypes.length > 0 };
}

/** Whether the target has a way for this kind. What is not known is not allowed (DL-50). */
function blockTransport(
  input: PlanRequestInput,
  as: CarriedKind,
  { transport, evidence }: KindCapability,
): Block | undefined {
  if (transport === 'yes') return undefined;
  const what =
    transport === 'no'
      ? describeClosed(input, as, evidence?.transport)
      : `${nameTransport(input)} has not said whether it carries ${nouns[as]}: its program was not found, did not start, or was not asked yet.`;
  return { gate: 'transport', code: 'attachment_runtime_unsupported', userMessage: `${what} ${otherWay(as, input)}` };
}

function describeClosed(input: PlanRequestInput, as: CarriedKind, evidence: Evidence | undefined): string {
  if (evidence?.source !== 'contradicted') return `${nameTransport(input)} does not carry ${nouns[as]}.`;
  return `${nameTransport(input)} does not bring ${nouns[as]} to its model as it was known to. ${evidence.note}`;
}

/** Whether the model understands this kind. Unknown passes only with an override (DL-66). */
function blockModel(input: PlanRequestInput, as: CarriedKind, { model }: KindCapability): Block | undefined {
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

function warnUnknown(kind: KindCapability, { target }: PlanRequestInput): Warning[] {
  if (kind.model !== 'unknown') return [];
  const message = `It is not known whether ${target.model} understands this kind; it is sent because an override says so.`;
  return [{ code: 'unknown_runtime_capability', severity: 'warning', message }];
}

function warnAltered({ alters }: KindCapability, input: PlanRequestInput): Warning[] {
  if (alters === undefined) return [];
  const message = `${nameTransport(input)} makes another picture of it: its model does not get the bytes that are sent. ${alters.note}`;
  return [{ code: 'program_alters_image', severity: 'warning', message }];
}

/** A media type that no model takes in any form; tools of an agent's own may. */
export function blockUnsupportedType({ mimeType }: PlannableAttachment, input: PlanRequestInput): Block {
  return {
    gate: 'transport',
    code: 'attachment_type_unsupported',
    userMessage: `Files of type ${mimeType} cannot be given to a model. Convert the file to an image, a PDF or text, ${wayByTool(input)}, or send the message without it.`,
  };
}

/** The subject of a sentence about a target's transport. */
function nameTransport({ target }: PlanRequestInput): string {
  return target.profile === undefined
    ? `The format ${target.runtime}`
    : `The agent's runtime (${target.runtime}, profile ${target.profile})`;
}

export const nouns: Record<CarriedKind, string> = {
  image: 'images',
  document: 'PDF documents',
  text: 'text files',
  audio: 'audio',
  video: 'video',
};

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
