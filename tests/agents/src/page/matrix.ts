import type { ReceiptItem } from '@attache/contracts';
import type { SeenAttachment } from '../stub/conversation.ts';

/** The result of one file for one runtime and one model. */
export type Cell =
  /** One code for each gate that blocks, in their order; a cell shows the first. */
  | { status: 'blocked'; codes: readonly string[] }
  | {
      status: 'delivered';
      items: readonly ReceiptItem[];
      arrived: readonly SeenAttachment[];
      texts: readonly string[];
    };

/** Words of each cell, by `<profile> <kind of file>`. */
export type Matrix = Map<string, string>;

/** A cell in few words: the plan's form and what the model's API got for it. */
export function describeCell(cell: Cell): string {
  if (cell.status === 'blocked') return `refused: \`${cell.codes[0]}\``;
  const [first] = cell.items;
  if (first?.form === 'tool') return 'tool: its marker';
  if (cell.arrived.length === 0) return `${first?.form ?? 'nothing'}, in words`;
  const types = [...new Set(cell.arrived.map(({ type }) => `\`${type}\``))].join(', ');
  const count = cell.arrived.length === 1 ? '' : `${cell.arrived.length} × `;
  return `${first?.form ?? 'nothing'}: ${count}${types}, same bytes`;
}
