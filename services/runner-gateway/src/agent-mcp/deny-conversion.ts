import type { Attachment } from '@attache/contracts';
import { findSession } from '@attache/database';
import type { ToolScope } from './agent-tool.ts';
import type { ChosenView } from './choose-view.ts';
import type { Refusal } from './tool-answer.ts';

/** A refusal where what would be shown has to be made of the file, and the session allows no conversions (DL-50). */
export async function denyConversion(
  { deps, owner: { session } }: Pick<ToolScope, 'deps' | 'owner'>,
  attachment: Attachment,
  chosen: ChosenView,
): Promise<Refusal | undefined> {
  if (!isConversion(attachment, chosen)) return undefined;
  const row = await deps.ownership.asOwner(session, (tx) => findSession(tx, session.sessionId));
  if (row?.conversions !== 'deny') return undefined;
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
