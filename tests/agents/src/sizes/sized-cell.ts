import type { PlanForm, ReceiptItem } from '@attache/contracts';
import type { SeenAttachment } from '../stub/conversation.ts';
import type { MadeFile } from './sized-files.ts';

/** The result of one file of a certain size. */
export type SizedCell =
  /** One code for each gate that blocks, in their order; a cell shows the first. */
  | { status: 'blocked'; codes: readonly string[] }
  | {
      status: 'delivered';
      items: readonly ReceiptItem[];
      becomes: PlanForm;
      arrived: readonly SeenAttachment[];
      texts: readonly string[];
    };

/** A cell in a word or two. */
export function describeSized(cell: SizedCell, { type }: Pick<MadeFile, 'type'>): string {
  if (cell.status === 'blocked') return `refused: \`${cell.codes[0]}\``;
  const { becomes, arrived } = cell;
  if (becomes === 'native') return 'as it is';
  if (becomes === 'text') return type === 'application/pdf' ? 'its text' : 'as it is';
  const shortType = (arrived[0]?.mimeType ?? '').replace('image/', '').toUpperCase();
  if (becomes === 'pages') return `${arrived.length} × ${shortType}`;
  return becomes === 'variant' ? `as ${shortType}` : becomes;
}
