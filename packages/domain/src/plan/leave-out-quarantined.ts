import type { AttachmentId } from '@attache/contracts';
import { type Draft, noCost } from './plan-types.ts';

/** As plans say why an attachment goes as its marker alone. */
export const QUARANTINED = 'quarantined';

/** What the model refused before is named to it, and not sent again (BX-02). */
export function leaveOutQuarantined(draft: Draft, quarantined: ReadonlySet<AttachmentId> = new Set()): Draft {
  if (draft.state !== 'open' || !quarantined.has(draft.attachment.id)) return draft;
  return {
    ...draft,
    checks: { ...draft.checks, budget: 'yes', transport: 'yes', model: 'no', prepare: 'yes' },
    state: 'planned',
    becomes: 'descriptor',
    reason: QUARANTINED,
    cost: noCost,
  };
}
