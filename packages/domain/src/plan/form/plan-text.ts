import type { AttachmentFacts, Recipe, Warning } from '@attache/contracts';
import { describeDecoding, describeLeftOut } from '../../file-type/text/describe-decoding.ts';
import { gateKind } from '../gate-kind.ts';
import { refuse } from '../gates.ts';
import { type Block, noCost, type PlannableAttachment, type Route } from '../plan-types.ts';
import { byteLimitOf, costOf, roomFor } from '../room/room.ts';
import { maxDecodedBytes, maxJsonTextBytes } from '../room/transport-size.ts';
import { blockConversion, blockTextLine, blockTextSize } from './block-form.ts';

/** A text file: its decoded UTF-8 in the prompt. It cannot be made smaller. */
export const planText: Route = (draft, room, input) => {
  const { attachment } = draft;
  const { kind, draft: gated, blocks } = gateKind(draft, 'text', input);
  const limitBytes = byteLimitOf(kind);
  const sizeBytes = sentBytesOf(attachment);
  const lineBytes = maxJsonTextBytes(sizeBytes, attachment.facts.encoding);
  const recipe = decodeRecipe(attachment, limitBytes);
  const budget = blockBudget(sizeBytes, lineBytes, limitBytes, roomFor(room, kind.carriage));
  const prepare = recipe !== undefined && input.conversions === 'deny' ? blockConversion() : undefined;
  const refusal = refuse(gated, [budget, ...blocks, prepare]);
  if (refusal) return refusal;
  return {
    draft: {
      ...gated,
      checks: { ...gated.checks, budget: 'yes', prepare: 'yes' },
      warnings: [
        ...gated.warnings,
        ...warnDecoded(recipe, attachment.facts),
        ...describeLeftOut(attachment.facts.inlineMedia),
        ...(attachment.warnings ?? []).filter(({ code }) => code === 'encoding_uncertain'),
      ],
      state: 'planned',
      becomes: 'text',
      ...(recipe === undefined ? {} : { recipe }),
      reason:
        recipe === undefined || recipe.encoding === 'utf-8'
          ? 'Text goes into the message.'
          : `Text goes into the message, decoded from ${recipe.encoding}.`,
      cost: { ...noCost, ...costOf(lineBytes, kind.carriage) },
    },
  };
};

function blockBudget(
  sizeBytes: number,
  lineBytes: number,
  limitBytes: number,
  availableBytes: number,
): Block | undefined {
  if (sizeBytes > limitBytes) return blockTextSize(limitBytes);
  return lineBytes > availableBytes ? blockTextLine(lineBytes, availableBytes) : undefined;
}

type DecodeRecipe = Extract<Recipe, { purpose: 'decoded-text' }>;

/** None if the bytes already are in the form that is sent: UTF-8 without a byte order mark, and without files in it. */
function decodeRecipe(attachment: PlannableAttachment, limitBytes: number): DecodeRecipe | undefined {
  const { encoding = 'utf-8', hasByteOrderMark, textFaults, inlineMedia } = attachment.facts;
  const isSent = attachment.facts.encoding === 'utf-8' && hasByteOrderMark !== true;
  if (isSent && textFaults === undefined && inlineMedia === undefined) return undefined;
  const sentBytes = sentBytesOf(attachment);
  const encodingOfBytes = textFaults === undefined ? encoding : undefined;
  const decodedBytes = inlineMedia === undefined ? maxDecodedBytes(sentBytes, encodingOfBytes) : sentBytes;
  const linesAs = textFaults?.linesAs;
  return {
    purpose: 'decoded-text',
    encoding,
    ...(linesAs === undefined ? {} : { linesAs }),
    ...(inlineMedia === undefined ? {} : { withoutMedia: true }),
    maxBytes: Math.min(Math.max(1, decodedBytes), limitBytes),
  };
}

/** Without the files in it, where there are any: their base64 is no prompt (DL-06). */
function sentBytesOf({ sizeBytes, facts }: PlannableAttachment): number {
  return facts.inlineMedia === undefined ? sizeBytes : (facts.textBytes ?? sizeBytes);
}

function warnDecoded(
  recipe: DecodeRecipe | undefined,
  { encoding = 'utf-8', textFaults, hasByteOrderMark }: AttachmentFacts,
): Warning[] {
  const isDecoded = encoding !== 'utf-8' || textFaults !== undefined || hasByteOrderMark === true;
  if (recipe === undefined || !isDecoded) return [];
  return [{ code: 'text_decoded', severity: 'info', message: describeDecoding(encoding, textFaults) }];
}
