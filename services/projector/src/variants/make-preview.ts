import { isFault } from '@attache/contracts';
import { type Database, hasAttachment } from '@attache/database';
import { withSpan } from '@attache/telemetry';
import type { ProjectorDeps } from '../projector-deps.ts';
import { whileAttached } from '../while-attached.ts';
import { makeVariants, type Original, type VariantDeps } from './make-variants.ts';
import type { Previews } from './previews.ts';

const PREVIEW_EDGE_PIXELS = 320;

export type PreviewDeps = VariantDeps & Pick<ProjectorDeps, 'log'> & { previews: Previews };

/**
 * Has the preview of a picture made. It is for people only: nothing waits for it, and a file works as well without one. What lies on the disk for it
 * is removed with it.
 */
export function addPreview(deps: PreviewDeps, original: Original, files: AsyncDisposable): Promise<void> {
  const { tenantId, stored } = original;
  return deps.previews.add({
    ...{ tenantId, sizeBytes: stored.attachment.sizeBytes },
    async make(hasWaited) {
      try {
        await using _files = files;
        const isGone = hasWaited && !(await isThere(deps.db, original));
        if (!isGone) await withSpan({ name: 'attachment.preview' }, () => makePreview(deps, original));
      } catch (error) {
        if (isFault(error, 'SHUTTING_DOWN')) return;
        deps.log.info({ attachmentId: stored.attachment.id, err: error }, 'preview.failed');
      }
    },
  });
}

const isThere = (db: Database, { tenantId, stored }: Original): Promise<boolean> =>
  db.readAsTenant(tenantId, (tx) => hasAttachment(tx, stored.id)).catch(() => true);

async function makePreview(deps: PreviewDeps, original: Original): Promise<void> {
  const { tenantId, stored } = original;
  const place = { tenantId, attachmentId: stored.id };
  const recipe = { purpose: 'preview', maxEdgePixels: PREVIEW_EDGE_PIXELS } as const;
  const work = await whileAttached(deps, place, (watched) => makeVariants(watched, original, [recipe]));
  if (work.status === 'gone' || work.result.status === 'made') return;
  deps.log.info({ attachmentId: stored.attachment.id, code: work.result.failure.code }, 'preview.failed');
}
