import type { AttachmentFacts, Recipe, Warning } from '@attache/contracts';
import { describeDecoding } from '../../file-type/text/describe-decoding.ts';
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
  const lineBytes = maxJsonTextBytes(attachment.sizeBytes, attachment.facts.encoding);
  const recipe = decodeRecipe(attachment, limitBytes);
  const budget = blockBudget(attachment.sizeBytes, lineBytes, limitBytes, roomFor(room, kind.carriage));
  const prepare = recipe !== undefined && input.conversions === 'deny' ? blockConversion() : undefined;
  const refusal = refuse(gated, [budget, ...blocks, prepare]);
  if (refusal) return refusal;
  return {
    draft: {
      ...gated,
      checks: { ...gated.checks, budget: 'yes', prepare: 'yes' },
      warnings: [
        ...gated.warnings,
        ...(recipe === undefined ? [] : [warnDecoded(attachment.facts)]),
        ...(attachment.warnings ?? []).filter(({ code }) => code === 'encoding_uncertain'),
      ],
      state: 'planned',
      becomes: 'text',
      ...(recipe === undefined ? {} : { recipe }),
      reason:
        recipe === undefined
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

/** None if the bytes already are in the form that is sent: UTF-8 without a byte order mark. */
function decodeRecipe({ sizeBytes, facts }: PlannableAttachment, limitBytes: number): DecodeRecipe | undefined {
  const { encoding = 'utf-8', hasByteOrderMark, textFaults } = facts;
  if (facts.encoding === 'utf-8' && hasByteOrderMark !== true && textFaults === undefined) return undefined;
  const decodedBytes = Math.max(1, maxDecodedBytes(sizeBytes, textFaults === undefined ? encoding : undefined));
  const linesAs = textFaults?.linesAs;
  return {
    purpose: 'decoded-text',
    encoding,
    ...(linesAs === undefined ? {} : { linesAs }),
    maxBytes: Math.min(decodedBytes, limitBytes),
  };
}

function warnDecoded(facts: AttachmentFacts): Warning {
  return {
    code: 'text_decoded',
    severity: 'info',
    message: describeDecoding(facts.encoding ?? 'utf-8', facts.textFaults),
  };
}
