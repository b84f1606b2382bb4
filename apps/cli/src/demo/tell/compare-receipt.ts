import type { PlanItem, Receipt, ReceiptItem } from '@attache/contracts';

/** What of a delivery is not as its plan said, one line each; empty where all is. `answer` is the agent's, which names what arrived. */
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
  // What an agent may read by tool it need not read.
  if (sha256 === undefined && form === 'tool')
    return verdict === 'unknown' ? [] : [`its verdict is ${verdict}, of nothing that was sent`];
  return [
    ...(verdict === 'delivered' ? [] : [`its verdict is ${verdict}`]),
    ...(sha256 !== undefined && answer.includes(sha256) ? [] : [`the agent does not name the digest ${sha256}`]),
  ];
}
