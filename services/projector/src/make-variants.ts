import { randomBytes, randomUUID } from 'node:crypto';
import { createBlobKey } from '@attache/blob-store';
import { type Failure, Fault, type Recipe, uuidFromId, type Variant, type Warning } from '@attache/contracts';
import {
  findKnownVariant,
  findVariant,
  forgetVariant,
  insertVariant,
  reserveVariantBlob,
  type StoredAttachment,
  settleAbandonedBlob,
} from '@attache/database';
import { describeRecipe, type VariantOutcome } from '@attache/media';
import type { ProjectorDeps } from './projector-deps.ts';
import { variantUuid } from './variant-id.ts';
import { fetchVerified, findOriginalGone, isGone, readWorkFile, withWorkFile } from './work-files.ts';

export type MadeVariants = { status: 'made'; variants: Variant[] } | { status: 'failed'; failure: Failure };

type Made = Extract<VariantOutcome, { status: 'made' }> & { warnings: Warning[] };

/** Variants of one document that are in work at once; the pool of workers bounds them all. */
const CONCURRENCY = 4;
/** Questions to the store at once. */
const LOOKS = 16;

export type VariantDeps = Pick<ProjectorDeps, 'db' | 'blobs' | 'media' | 'workFolder'>;

async function keep(
  deps: Pick<ProjectorDeps, 'db' | 'blobs'>,
  tenantId: string,
  row: { id: string; sourceSha256: string; recipe: Recipe },
  made: Made,
  path: string,
): Promise<void> {
  const blob = { id: randomUUID(), key: createBlobKey(tenantId, randomBytes(16)) };
  await deps.db.asTenant(tenantId, (tx) => reserveVariantBlob(tx, { tenantId, ...blob, storeId: deps.blobs.id }));
  await deps.blobs.put(blob.key, readWorkFile(path), { sizeBytes: made.sizeBytes });
  const isNew = await deps.db.asTenant(tenantId, (tx) =>
    insertVariant(tx, {
      tenantId,
      id: row.id,
      sourceSha256: row.sourceSha256,
      purpose: row.recipe.purpose,
      recipe: describeRecipe(row.recipe),
      mimeType: made.mimeType,
      sizeBytes: made.sizeBytes,
      sha256: made.sha256,
      width: made.width ?? null,
      height: made.height ?? null,
      scale: made.scale ?? null,
      page: row.recipe.purpose === 'page-image' ? row.recipe.page : null,
      warnings: made.warnings,
      blob,
    }),
  );
  if (isNew) return;
  await deps.blobs.delete(blob.key);
  await settleAbandonedBlob(deps.db, { tenantId, id: blob.id });
}

type Source = { tenantId: string; stored: StoredAttachment; path: string };

async function makeOne(
  deps: VariantDeps,
  { tenantId, stored, path }: Source,
  recipe: Recipe,
): Promise<Variant | Failure> {
  const { attachment } = stored;
  const id = variantUuid(tenantId, attachment.sha256, recipe);
  const failure = await withWorkFile(deps.workFolder, async (outputPath): Promise<Failure | undefined> => {
    const { mimeType, facts } = attachment;
    const outcome = await deps.media.makeVariant({ tenantId, path, outputPath, mimeType, facts, recipe });
    if (outcome.status === 'failed') return { ...outcome.failure, attachmentId: attachment.id };
    await keep(deps, tenantId, { id, sourceSha256: attachment.sha256, recipe }, outcome, outputPath);
    return undefined;
  });
  if (failure) return failure;
  const made = await deps.db.readAsTenant(tenantId, (tx) => findVariant(tx, id));
  if (!made) throw new Fault('INTERNAL', 'A variant is not there after it was made.', { retryable: true });
  return made.variant;
}

const isFailure = (outcome: Variant | Failure): outcome is Failure => 'code' in outcome;

/** Makes what is missing, some at a time; the first failure ends it. */
async function makeMissing(
  deps: VariantDeps,
  source: Source,
  recipes: readonly Recipe[],
): Promise<Variant[] | Failure> {
  const made: Variant[] = [];
  let failed: Failure | undefined;
  let next = 0;
  const work = async () => {
    while (failed === undefined && next < recipes.length) {
      const position = next;
      next += 1;
      const outcome = await makeOne(deps, source, recipes[position] as Recipe);
      if (isFailure(outcome)) failed ??= outcome;
      else made[position] = outcome;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, recipes.length) }, work));
  return failed ?? made;
}

type Known = (Variant | undefined)[];

/** Forgets those that the store has lost, so that they are made again in this step (DL-48). */
async function forgetLost(
  deps: Pick<ProjectorDeps, 'db' | 'blobs'>,
  tenantId: string,
  stored: StoredAttachment,
  known: Known,
) {
  const isLost = async (variant: Variant | undefined): Promise<boolean> => {
    const key = variant && stored.variantKeys.get(variant.id);
    if (!variant || key === undefined || !(await isGone(deps.blobs, key))) return false;
    await deps.db.asTenant(tenantId, (tx) => forgetVariant(tx, uuidFromId(variant.id), key));
    return true;
  };
  const found: Known = [];
  for (let from = 0; from < known.length; from += LOOKS) {
    const some = known.slice(from, from + LOOKS);
    const lost = await Promise.all(some.map(isLost));
    found.push(...some.map((variant, index) => (lost[index] ? undefined : variant)));
  }
  return found;
}

/**
 * Variants of an attachment by their recipes, in order: those that the same recipe made before are found, the others made. What was
 * made of an original that is gone is not sent in its place (DL-54).
 */
export async function makeVariants(
  deps: VariantDeps,
  tenantId: string,
  stored: StoredAttachment,
  recipes: readonly Recipe[],
): Promise<MadeVariants> {
  const recorded = recipes.map((recipe) =>
    findKnownVariant(stored, variantUuid(tenantId, stored.attachment.sha256, recipe)),
  );
  const known = await forgetLost(deps, tenantId, stored, recorded);
  const missing = recipes.filter((_, index) => known[index] === undefined);
  if (missing.length === 0) {
    const gone = recipes.length === 0 ? undefined : await findOriginalGone(deps.blobs, stored);
    return gone ? { status: 'failed', failure: gone } : { status: 'made', variants: known as Variant[] };
  }
  const made = await withWorkFile(deps.workFolder, async (path) => {
    const failure = await fetchVerified(deps.blobs, stored, path);
    return failure ?? makeMissing(deps, { tenantId, stored, path }, missing);
  });
  if (!Array.isArray(made)) return { status: 'failed', failure: made };
  const fresh = made.values();
  return { status: 'made', variants: known.map((variant) => variant ?? (fresh.next().value as Variant)) };
}
