import { randomBytes, randomUUID } from 'node:crypto';
import { createBlobKey } from '@attache/blob-store';
import { type Failure, type Recipe, uuidFromId, type Variant, type Warning } from '@attache/contracts';
import {
  findKnownVariant,
  forgetVariant,
  recordVariant,
  reserveVariant,
  type StoredAttachment,
  settleAbandonedBlob,
} from '@attache/database';
import { describeRecipe, type VariantOutcome } from '@attache/media';
import type { ProjectorDeps } from '../projector-deps.ts';
import { fetchOriginal, findChanged, findOriginalGone, isGone, readWorkFile, withWorkFile } from '../work-files.ts';
import {
  findKnownGap,
  isFailure,
  isHopeless,
  type MadeVariants,
  noteUnreadable,
  type Outcome,
  settleOutcomes,
} from './page-outcomes.ts';
import { variantUuid } from './variant-id.ts';

type Made = Extract<VariantOutcome, { status: 'made' }> & { warnings: Warning[] };

/** Variants of one document that are in work at once; the pool of workers bounds them all. */
const CONCURRENCY = 4;
/** Questions to the store at once. */
const LOOKS = 16;

export type VariantDeps = Pick<ProjectorDeps, 'db' | 'blobs' | 'media' | 'workFolder'>;

async function keep(
  deps: Pick<ProjectorDeps, 'db' | 'blobs'>,
  row: { tenantId: string; id: string; sourceSha256: string; recipe: Recipe },
  made: Made,
  path: string,
): Promise<Variant> {
  const { tenantId, id, sourceSha256, recipe } = row;
  const blob = { id: randomUUID(), key: createBlobKey(tenantId, randomBytes(16)) };
  await reserveVariant(deps.db, { tenantId, ...blob, storeId: deps.blobs.id });
  await deps.blobs.put(blob.key, readWorkFile(path), { sizeBytes: made.sizeBytes });
  const { isNew, variant } = await recordVariant(deps.db, {
    ...{ tenantId, id, sourceSha256, purpose: recipe.purpose, recipe: describeRecipe(recipe), blobId: blob.id },
    ...{ mimeType: made.mimeType, sizeBytes: made.sizeBytes, sha256: made.sha256, warnings: made.warnings },
    ...{ width: made.width ?? null, height: made.height ?? null, scale: made.scale ?? null },
    page: recipe.purpose === 'page-image' ? recipe.page : null,
  });
  if (!isNew) {
    await deps.blobs.delete(blob.key);
    await settleAbandonedBlob(deps.db, { tenantId, id: blob.id });
  }
  return variant;
}

/** An attachment; `path`, where its bytes have been fetched to already. */
export type Original = { tenantId: string; stored: StoredAttachment; path?: string | undefined };

type Source = Original & { path: string };

async function makeOne(
  deps: VariantDeps,
  { tenantId, stored, path }: Source,
  recipe: Recipe,
): Promise<Variant | Failure> {
  const { id: attachmentId, mimeType, facts, sha256 } = stored.attachment;
  const id = variantUuid(tenantId, sha256, recipe);
  return withWorkFile(deps.workFolder, async (outputPath) => {
    const yields = recipe.purpose === 'preview';
    const outcome = await deps.media.makeVariant({ tenantId, path, outputPath, mimeType, facts, recipe, yields });
    return outcome.status === 'failed'
      ? { ...outcome.failure, attachmentId }
      : keep(deps, { tenantId, id, sourceSha256: sha256, recipe }, outcome, outputPath);
  });
}

/** Makes missing variants, some at a time, each with its outcome. The first failure ends it, but a page that cannot be drawn leaves the others. */
async function makeMissing(
  deps: VariantDeps,
  source: Source,
  recipes: readonly Recipe[],
): Promise<Outcome[] | Failure> {
  const outcomes: Outcome[] = [];
  let failed: Failure | undefined;
  let next = 0;
  const work = async () => {
    while (failed === undefined && next < recipes.length) {
      const position = next;
      next += 1;
      const outcome = await makeOne(deps, source, recipes[position] as Recipe);
      outcomes[position] = outcome;
      if (isFailure(outcome) && isHopeless(outcome, outcomes)) failed ??= outcome;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, recipes.length) }, work));
  await noteUnreadable(deps.db, source, recipes, outcomes);
  return failed ?? outcomes;
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

/** Runs `work` on the verified bytes of an original. */
async function withVerified<T>(
  deps: VariantDeps,
  { tenantId, stored, path: fetched }: Original,
  work: (source: Source) => Promise<T>,
): Promise<T | Failure> {
  if (fetched !== undefined) return (await findChanged(stored, fetched)) ?? work({ tenantId, stored, path: fetched });
  return withWorkFile(deps.workFolder, async (path) => {
    const failure = (await fetchOriginal(deps.blobs, stored, path)) ?? (await findChanged(stored, path));
    return failure ?? work({ tenantId, stored, path });
  });
}

/**
 * Variants of an attachment by their recipes, in order: those that the same recipe made before are found, the others made. What was
 * made of an original that is gone is not sent in its place (DL-54).
 */
export async function makeVariants(
  deps: VariantDeps,
  original: Original,
  recipes: readonly Recipe[],
): Promise<MadeVariants> {
  const { tenantId, stored } = original;
  const recorded = recipes.map((recipe) =>
    findKnownVariant(stored, variantUuid(tenantId, stored.attachment.sha256, recipe)),
  );
  const kept = await forgetLost(deps, tenantId, stored, recorded);
  const known = recipes.map((recipe, index) => kept[index] ?? findKnownGap(stored.attachment, recipe));
  const missing = recipes.filter((_, index) => known[index] === undefined);
  if (missing.length === 0) {
    const gone = recipes.length === 0 ? undefined : await findOriginalGone(deps.blobs, stored);
    return gone ? { status: 'failed', failure: gone } : settleOutcomes(recipes, known as Outcome[]);
  }
  const made = await withVerified(deps, original, (source) => makeMissing(deps, source, missing));
  if (!Array.isArray(made)) return { status: 'failed', failure: made };
  const fresh = made.values();
  return settleOutcomes(
    recipes,
    known.map((outcome) => outcome ?? (fresh.next().value as Outcome)),
  );
}
