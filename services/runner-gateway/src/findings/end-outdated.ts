import { endContradictions } from '@attache/database';
import type { OwningDeps } from '../gateway-deps.ts';
import { gateway } from './note-findings.ts';
import type { RunningProgram } from './running-program.ts';

/**
 * A program has started: findings and statements about another version of it end. One whose version is not known ends nothing. A failure
 * is logged, and holds up no start: the next one tries again.
 */
export async function endOutdated(
  { db, log }: Pick<OwningDeps, 'db' | 'log'>,
  tenantId: string,
  { row: running, version: programVersion }: RunningProgram,
): Promise<void> {
  if (running === undefined || programVersion === '') return;
  const row = running.name;
  try {
    const ended = await endContradictions(db, { tenantId, row, programVersion, actor: gateway });
    for (const { kind, isForAll } of ended) log.info({ row, kind, isForAll, programVersion }, 'capability.restored');
  } catch (error) {
    log.warn({ err: error, row }, 'capability.outdated_not_ended');
  }
}
