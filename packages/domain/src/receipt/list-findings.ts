import type { AttachmentKind, ReceiptItem } from '@attache/contracts';
import type { CarriedKind, TransportRow } from '../catalog/catalog-row.ts';

/** An item of a receipt, with the kind of its attachment. */
export type JudgedItem = Pick<ReceiptItem, 'form' | 'verdict' | 'proof' | 'wire'> & { kind: AttachmentKind };

/** A contradiction between one turn and a row of the catalog. */
export type Finding = { kind: CarriedKind; finding: 'dropped' | 'altered' };

/**
 * Lists contradictions between the wire of one turn and its row: a file that was left out, or that left as other bytes although the row does not say so. One
 * finding for each kind; a dropped file counts before an altered one. A kind that nothing on the wire shows gives no finding.
 */
export function listFindings(items: readonly JudgedItem[], { kinds }: Pick<TransportRow, 'kinds'>): Finding[] {
  const findings = new Map<CarriedKind, Finding['finding']>();
  for (const item of items) {
    const kind = kindAsSent(item);
    const finding = item.proof === 'wire' ? findingOf(item) : undefined;
    if (kind === undefined || finding === undefined) continue;
    if (finding === 'altered' && kinds[kind].alters !== undefined) continue;
    if (findings.get(kind) !== 'dropped') findings.set(kind, finding);
  }
  return [...findings].map(([kind, finding]) => ({ kind, finding }));
}

function findingOf({ verdict, wire }: JudgedItem): Finding['finding'] | undefined {
  if (verdict === 'dropped') return 'dropped';
  return verdict === 'delivered' && wire?.altered === true ? 'altered' : undefined;
}

/** The kind in which it was sent: the pages of a document are images. */
function kindAsSent({ form, kind }: JudgedItem): CarriedKind | undefined {
  if (form === 'pages') return 'image';
  if (form === 'text') return 'text';
  return kind === 'unsupported' ? undefined : kind;
}
