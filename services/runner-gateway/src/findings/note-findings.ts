import { type AttachmentKind, type AuditActor, idFromUuid, type Receipt } from '@attache/contracts';
import {
  appendAudit,
  countFindings,
  type FindingTurn,
  insertContradiction,
  type StoredAttachment,
  saveFindings,
  type Tx,
} from '@attache/database';
import { describeContradiction, type Finding, isContradicted, listFindings } from '@attache/domain';
import type { OwningDeps } from '../gateway-deps.ts';
import type { RunningProgram } from './running-program.ts';

export const gateway: AuditActor = { type: 'service', id: 'runner-gateway' };

/** A turn whose receipt is recorded. */
export type RecordedTurn = Pick<FindingTurn, 'tenantId' | 'sessionId' | 'deliveryId'> & {
  receipt: Pick<Receipt, 'items'>;
  attachments: readonly Pick<StoredAttachment, 'attachment'>[];
};

/**
 * Records findings of a turn on the wire against the catalog's row of its program; enough of them contradict the row for the tenant. A failure to
 * record them is logged, and changes nothing for the delivery.
 */
export async function noteFindings(
  { db, log }: Pick<OwningDeps, 'db' | 'log'>,
  { row: running, version: programVersion, profile, settingsSha256 }: RunningProgram,
  { tenantId, sessionId, deliveryId, receipt, attachments }: RecordedTurn,
): Promise<void> {
  if (running === undefined) return;
  const kinds = new Map<string, AttachmentKind>(attachments.map(({ attachment: { id, kind } }) => [id, kind]));
  const items = receipt.items.map((item) => ({ ...item, kind: kinds.get(item.attachmentId) ?? 'unsupported' }));
  const findings = listFindings(items, running);
  if (findings.length === 0) return;
  const turn = { tenantId, sessionId, deliveryId, row: running.name, programVersion, profile, settingsSha256 };
  const publicId = idFromUuid('delivery', deliveryId);
  try {
    const contradicted = await db.asTenant(tenantId, (tx) => keepFindings(tx, turn, findings));
    for (const kind of contradicted)
      log.warn({ row: running.name, kind, deliveryId: publicId }, 'capability.contradicted');
  } catch (error) {
    log.warn({ err: error, deliveryId: publicId }, 'capability.findings_not_kept');
  }
}

type ShownTurn = FindingTurn & Pick<RunningProgram, 'profile'>;

/** Returns the kinds that are contradicted from now on. */
async function keepFindings(
  tx: Tx,
  { profile, ...turn }: ShownTurn,
  findings: readonly Finding[],
): Promise<Finding['kind'][]> {
  await saveFindings(tx, turn, findings);
  const contradicted: Finding['kind'][] = [];
  for (const { kind } of findings) if (await contradict(tx, { profile, ...turn }, kind)) contradicted.push(kind);
  return contradicted;
}

async function contradict(tx: Tx, turn: ShownTurn, kind: Finding['kind']): Promise<boolean> {
  const { tenantId, row, programVersion, profile, settingsSha256 } = turn;
  const seen = { row, kind, programVersion, settingsSha256 };
  const counts = await countFindings(tx, seen);
  if (!isContradicted(counts)) return false;
  const note = describeContradiction(kind, turn, counts);
  if (!(await insertContradiction(tx, { tenantId, ...seen, note }))) return false;
  const { turns, sessions } = counts;
  const data = { row, kind, programVersion, profile, turns, sessions };
  await appendAudit(tx, { tenantId, actor: gateway, action: 'capability.contradicted', data });
  return true;
}
