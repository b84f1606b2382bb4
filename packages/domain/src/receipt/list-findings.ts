import type { AttachmentKind, ReceiptItem } from '@attache/contracts';
import type { CarriedKind, TransportRow } from '../catalog/catalog-row.ts';

/** An item of a receipt, with the kind of its attachment. */
export type JudgedItem = Pick<ReceiptItem, 'form' | 'verdict' | 'proof' | 'wire'> & { kind: AttachmentKind };

/** What a turn shows against a row of the catalog. */
export type Finding = { kind: CarriedKind; finding: 'dropped' | 'altered' };

/**
 * What the wire of one turn shows against what its row says: a file that was left out, or that left as other bytes where the row does not say
 * so. One for each kind; one that was dropped counts before one that was altered. What nothing on the wire shows is no finding.
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

/** As what it was sent: of a document its pages are images. */
function kindAsSent({ form, kind }: JudgedItem): CarriedKind | undefined {
  if (form === 'pages') return 'image';
  if (form === 'text') return 'text';
  return kind === 'unsupported' ? undefined : kind;
}
