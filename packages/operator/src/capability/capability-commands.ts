import { Fault, type OperatorInput, type OperatorOutput } from '@attache/contracts';
import {
  appendAudit,
  deleteContradictions,
  deleteContradictionsForAll,
  listContradictionsForAll,
  readContradictions,
  saveContradictionForAll,
} from '@attache/database';
import { findTransportRow, nameOfTransport } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { type OperatorDeps, operator, requireTenant } from '../operator-deps.ts';

/** Says for all tenants that a row does not carry a kind. */
export async function contradict(
  { db, log }: OperatorDeps,
  { kind, programVersion, reason, ...given }: OperatorInput<'capability.contradict'>,
): Promise<OperatorOutput<'capability.contradict'>> {
  const row = requireRow(given);
  const contradiction = await saveContradictionForAll(db, { row, kind, programVersion, note: reason });
  log.info({ row, kind, programVersion }, 'capability.contradicted');
  return { contradiction };
}

/** Lets a row hold again: for all tenants, or for one, whose turns are then counted again. */
export async function restoreCapability(
  { db, log }: OperatorDeps,
  { kind, tenant, ...given }: OperatorInput<'capability.restore'>,
): Promise<OperatorOutput<'capability.restore'>> {
  const row = requireRow(given);
  if (tenant === undefined) {
    const restored = await deleteContradictionsForAll(db, { row, kind });
    for (const { programVersion } of restored) log.info({ row, kind, programVersion }, 'capability.restored');
    return { restored, forgottenCount: 0 };
  }
  const tenantId = await requireTenant(db, tenant);
  return db.asTenant(tenantId, async (tx) => {
    const { restored, forgottenCount } = await deleteContradictions(tx, { row, kind });
    for (const { programVersion } of restored) {
      const data = { row, kind, programVersion };
      await appendAudit(tx, { tenantId, actor: operator, action: 'capability.restored', data });
    }
    return { restored, forgottenCount };
  });
}

/** Lists the contradictions of rows that hold for all tenants or, given a tenant, for that tenant, including those for all. */
export async function listContradictions(
  { db }: OperatorDeps,
  { tenant }: OperatorInput<'capability.list'>,
): Promise<OperatorOutput<'capability.list'>> {
  if (tenant === undefined) return { items: await listContradictionsForAll(db) };
  return { items: await db.readAsTenant(await requireTenant(db, tenant), readContradictions) };
}

type GivenRow = Pick<OperatorInput<'capability.contradict'>, 'runtime' | 'program' | 'provider'>;

/** Name of the row that a profile of this runtime, program and provider finds; what finds none, or one of another program, is refused. */
function requireRow({ runtime, program, provider = '' }: GivenRow): string {
  const target = { runtime, provider, model: '' };
  const row = findTransportRow(catalog, { target, command: program === undefined ? [] : [program] });
  if (row !== undefined && row.program === program) return nameOfTransport(row);
  const known = catalog.transports.filter(({ transport }) => transport === runtime).map(nameOfTransport);
  throw new Fault(
    'INVALID_REQUEST',
    `The catalog has no such row. Those of ${runtime} are, with program and providers: ${known.join('; ')}.`,
  );
}
