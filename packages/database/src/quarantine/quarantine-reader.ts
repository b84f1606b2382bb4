import { type AttachmentId, idFromUuid, type Target } from '@attache/contracts';
import { and, desc, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Tx } from '../database.ts';
import { delivery } from '../schema.ts';

/**
 * A part that is taken out of all that an agent's program sends. Without `attachmentId` it is none of ours. `occurrences`: it was set aside, and so many of the
 * first ones of the conversation are out; undefined: its model refused it.
 */
export type QuarantinedPart = {
  wireSha256: string;
  code: string;
  isGroup: boolean;
  attachmentId?: AttachmentId | undefined;
  occurrences?: number | undefined;
};

/** A quarantined part as the SQL functions return it. */
export type QuarantinedJson = Omit<QuarantinedPart, 'attachmentId' | 'occurrences'> & {
  attachmentId: string | null;
  occurrences: number | null;
};

export const toQuarantined = ({ attachmentId, occurrences, ...part }: QuarantinedJson): QuarantinedPart => ({
  ...part,
  ...(occurrences === null ? {} : { occurrences }),
  ...(attachmentId === null ? {} : { attachmentId: idFromUuid('attachment', attachmentId) }),
});

/**
 * A file that the model of a target refused in a session: the same bytes under another id count too. It counts for the targets of
 * the agents whose models these were.
 */
export type RefusedFile = {
  attachmentId: AttachmentId;
  sha256: string;
  target: Target;
};

/** A refused file as the SQL functions return it. */
export type RefusedFileJson = Omit<RefusedFile, 'attachmentId'> & { attachmentId: string };

export const toRefusedFile = ({ attachmentId, ...file }: RefusedFileJson): RefusedFile => ({
  ...file,
  attachmentId: idFromUuid('attachment', attachmentId),
});

/** Turns that are looked at for what a program made of a file; of older ones the file itself is still known. */
const LATEST_DELIVERIES = 500;

/**
 * Maps the digests of bytes that an agent may have sent to its model to attachments: files that were granted to it, files made of them, and bytes that left for
 * the provider in their place, as receipts show.
 */
export async function readSentDigests(tx: Tx, agentId: string): Promise<ReadonlyMap<string, AttachmentId>> {
  const ours = await runStatement<Record<string, string>>(tx, digestsOfGranted(agentId));
  const altered = await tx
    .select({ receipt: delivery.receipt })
    .from(delivery)
    .where(and(eq(delivery.agentId, agentId), isNotNull(delivery.receipt)))
    .orderBy(desc(delivery.messageSeq))
    .limit(LATEST_DELIVERIES);
  const items = altered.flatMap(({ receipt }) => receipt?.items ?? []);
  return new Map([
    ...items.flatMap(({ wire, attachmentId }) => (wire === undefined ? [] : [[wire.sha256, attachmentId] as const])),
    ...Object.entries(ours).map(([sha256, id]) => [sha256, idFromUuid('attachment', id)] as const),
  ]);
}

const digestsOfGranted = (agentId: string): SQL => sql`
  with granted as (
    select distinct a.id, a.sha256 from access_grant g join attachment a on a.tenant_id = g.tenant_id and a.id = g.attachment_id
      where g.tenant_id = (select attache_tenant_id()) and g.agent_id = ${agentId}::uuid
  )
  select coalesce(jsonb_object_agg(sent.sha256, sent.id), '{}'::jsonb) from (
    select v.sha256, g.id from granted g join variant v on v.tenant_id = (select attache_tenant_id()) and v.source_sha256 = g.sha256
    union all select sha256, id from granted) sent`;
