import { Fault, type OperatorInput, type OperatorOutput } from '@attache/contracts';
import type { OperatorDeps } from './operator-deps.ts';

/** Collects what nothing refers to any more. A dry run only counts. */
export async function runCollection(
  { db, blobs, log }: OperatorDeps,
  { isDryRun }: OperatorInput<'gc.run'>,
): Promise<OperatorOutput<'gc.run'>> {
  if (!blobs) throw new Fault('CONFIGURATION_INVALID', 'gc needs the blob store: set the ATTACHE_S3_* variables.');
  const { collectBlobs } = await import('@attache/upkeep');
  return collectBlobs({ db, blobs, log }, { isDryRun });
}
