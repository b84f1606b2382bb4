import type { Recipe, Warning } from '@attache/contracts';
import { maxDecodedBytes, maxJsonTextBytes } from '../transport-size.ts';
import { blockConversion, blockTextLine, blockTextSize } from './block-form.ts';
import {
  blockDraft,
  type Draft,
  type OpenDraft,
  type PlannableAttachment,
  type PlanRequestInput,
} from './plan-types.ts';

/** The form of a text file: its decoded UTF-8 in the prompt. `availableBytes` is what the line has left. */
export function planText(draft: OpenDraft, availableBytes: number, input: PlanRequestInput): Draft {
  const { attachment } = draft;
  const limitBytes = input.capability.text.maxInlineBytes;
  if (limitBytes !== undefined && attachment.sizeBytes > limitBytes)
    return blockDraft(draft, blockTextSize(limitBytes));
  const lineBytes = maxJsonTextBytes(attachment.sizeBytes, attachment.facts.encoding);
  if (lineBytes > availableBytes) return blockDraft(draft, blockTextLine(lineBytes, availableBytes));
  const recipe = decodeRecipe(attachment, limitBytes);
  const fitting = { ...draft, checks: { ...draft.checks, budget: 'yes' } } as const;
  if (recipe !== undefined && input.conversions === 'deny') return blockDraft(fitting, blockConversion());
  return {
    ...fitting,
    checks: { ...fitting.checks, prepare: 'yes' },
    warnings: [...draft.warnings, ...(recipe === undefined ? [] : [warnDecoded(recipe.encoding)])],
    state: 'planned',
    becomes: 'text',
    ...(recipe === undefined ? {} : { recipe }),
    lineBytes,
    pixels: 0,
  };
}

type DecodeRecipe = Extract<Recipe, { purpose: 'decoded-text' }>;

/** None where the bytes already are what is sent: UTF-8 without a byte order mark. */
function decodeRecipe(
  { sizeBytes, facts }: PlannableAttachment,
  limitBytes: number | undefined,
): DecodeRecipe | undefined {
  if (facts.encoding === 'utf-8' && facts.hasByteOrderMark !== true) return undefined;
  const decodedBytes = Math.max(1, maxDecodedBytes(sizeBytes, facts.encoding));
  return {
    purpose: 'decoded-text',
    encoding: facts.encoding ?? 'utf-8',
    maxBytes: Math.min(decodedBytes, limitBytes ?? decodedBytes),
  };
}

function warnDecoded(encoding: string): Warning {
  return { code: 'text_decoded', severity: 'info', message: `The text is decoded from ${encoding} to UTF-8.` };
}
