import type { Warning } from '@attache/contracts';
import { rulesOf } from '../../file-type/kind-rules.ts';
import { gateKind } from '../gate-kind.ts';
import { refuse } from '../gates.ts';
import {
  type Block,
  noCost,
  type PlannableAttachment,
  type PlanRequestInput,
  type Room,
  type Route,
} from '../plan-types.ts';
import { byteLimitOf, costOf, roomFor } from '../room/room.ts';
import { maxJsonTextBytes } from '../room/transport-size.ts';
import { blockConversion, blockScan, blockTextLine, blockTextSize, blockUnreadable } from './block-form.ts';

const textOnly: Warning = {
  code: 'text_extracted',
  severity: 'warning',
  message: 'Only the text of the document is sent, without its pictures and layout.',
};

/** Sends the text of a document. Its other content is not sent, and the plan says so. */
export const planDocumentText: Route = (draft, room, input) => {
  const { kind, draft: gated, blocks } = gateKind(draft, 'text', input);
  const textBytes = draft.attachment.facts.textBytes ?? 0;
  const lineBytes = maxJsonTextBytes(textBytes, 'utf-8');
  const budget = blockBudget(textBytes, lineBytes, room, input);
  const refusal = refuse(gated, [budget, ...blocks, blockPrepare(draft.attachment, input)]);
  if (refusal) return refusal;
  return {
    draft: {
      ...gated,
      checks: { ...gated.checks, budget: 'yes', prepare: 'yes' },
      warnings: [...gated.warnings, textOnly],
      state: 'planned',
      becomes: 'text',
      recipe: { purpose: 'document-text', maxBytes: textBytes },
      reason: `${input.target.model} gets neither this ${rulesOf(draft.attachment).noun} nor its pages; it gets its text.`,
      cost: { ...noCost, ...costOf(lineBytes, kind.carriage) },
    },
  };
};

function blockBudget(textBytes: number, lineBytes: number, room: Room, input: PlanRequestInput): Block | undefined {
  const { text } = input.capability;
  const limitBytes = byteLimitOf(text);
  if (textBytes > limitBytes) return blockTextSize(limitBytes);
  const availableBytes = roomFor(room, text.carriage) - room.reservedBytes;
  return lineBytes > availableBytes ? blockTextLine(lineBytes, availableBytes) : undefined;
}

function blockPrepare(attachment: PlannableAttachment, { conversions }: PlanRequestInput): Block | undefined {
  const { textBytes = 0, pageGaps = [] } = attachment.facts;
  if (textBytes === 0) return blockScan();
  // Its text has other letters than its pages.
  if (pageGaps.some(({ lacks }) => lacks === 'unmapped')) return blockUnreadable(attachment);
  return conversions === 'deny' ? blockConversion() : undefined;
}
