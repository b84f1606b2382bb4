import type { Attachment } from '@attache/contracts';
import { findOverride, findSession } from '@attache/database';
import type { ToolScope, ViewForms } from '../agent-tool.ts';
import type { Refusal } from '../tool-answer.ts';
import type { ChosenView } from './choose-view.ts';

/** The rules for views at this moment: the tenant's override for the agent's target, and the session's setting for conversions. */
export type ViewRules = { forms: ViewForms; allowsConversions: boolean };

export async function readViewRules({ deps, owner }: Pick<ToolScope, 'deps' | 'owner'>): Promise<ViewRules> {
  const { session, shown } = owner;
  const { override, conversions } = await deps.ownership.asOwner(session, async (tx) => ({
    override: shown && (await findOverride(tx, shown)),
    conversions: (await findSession(tx, session.sessionId))?.conversions,
  }));
  return { forms: { image: shown?.imagesUnder(override) }, allowsConversions: conversions !== 'deny' };
}

/** A refusal if the view would have to be made from the file and the session allows no conversions (DL-50). */
export function denyConversion(
  { allowsConversions }: ViewRules,
  attachment: Attachment,
  chosen: ChosenView,
): Refusal | undefined {
  if (allowsConversions || !isConversion(attachment, chosen)) return undefined;
  return {
    code: 'attachment_conversion_denied',
    message:
      'This session allows no conversions: a file is shown as it is, or not at all. What was asked for would have to be made of it. Read the file itself by another tool, if there is one.',
    retryable: false,
  };
}

/** UTF-8 is read, and a part of it is still it. */
function isConversion({ facts }: Attachment, chosen: ChosenView): boolean {
  if (chosen.form === 'image') return true;
  if (chosen.form !== 'text') return false;
  return chosen.recipe.purpose === 'document-text' || (facts.encoding ?? 'utf-8') !== 'utf-8';
}
