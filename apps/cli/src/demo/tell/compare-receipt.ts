import type { PlanItem, Receipt, ReceiptItem } from '@attache/contracts';

/** Differences between a delivery and its plan, one line each; empty if there are none. `answer` is the agent's, which names the files that arrived. */
export function compareReceipt(planned: PlanItem, receipt: Receipt | undefined, answer: string): string[] {
  const sent = receipt?.items.filter(({ attachmentId }) => attachmentId === planned.attachmentId) ?? [];
  const { recipe } = planned;
  const count = recipe?.purpose === 'page-images' ? recipe.pages : 1;
  return [
    ...(sent.length === count ? [] : [`${count} of it should have been sent, and ${sent.length} were`]),
    ...sent.flatMap((item) => [
      ...(item.form === planned.becomes ? [] : [`it should have become ${planned.becomes}, and became ${item.form}`]),
      ...compareBytes(item, answer),
    ]),
  ];
}

function compareBytes({ form, verdict, sha256 }: ReceiptItem, answer: string): string[] {
  // An agent may read such a file by tool, but does not have to.
  if (sha256 === undefined && form === 'tool')
    return verdict === 'unknown' ? [] : [`its verdict is ${verdict}, of nothing that was sent`];
  return [
    ...(verdict === 'delivered' ? [] : [`its verdict is ${verdict}`]),
    ...(sha256 !== undefined && answer.includes(sha256) ? [] : [`the agent does not name the digest ${sha256}`]),
  ];
}
