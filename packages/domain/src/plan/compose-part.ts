import type { Attachment, AttachmentId, ByteReference, PageGap, Part, PlanItem } from '@attache/contracts';
import { rulesOf } from '../file-type/kind-rules.ts';
import { describeForTool, describeRefused } from './describe-attachment.ts';

type Planned = Pick<Attachment, 'id' | 'name' | 'mimeType' | 'kind'>;

/**
 * The part that an item of a frozen plan becomes, from references to what was made for it: one, or one for each page. `gaps`: pages without a
 * reference, or that are not whole. The form is the plan's; nothing is decided here. Throws for a blocked item: such a plan is never executed.
 */
export function composePart(
  item: PlanItem,
  attachment: Planned,
  references: readonly ByteReference[],
  gaps: readonly PageGap[] = [],
): Part {
  const [bytes] = references;
  const { name } = attachment;
  if (item.becomes === 'tool')
    return { type: 'descriptor', attachmentId: attachment.id, text: describeForTool(attachment) };
  if (item.becomes === 'descriptor')
    return { type: 'descriptor', attachmentId: attachment.id, text: describeRefused(attachment) };
  if (bytes === undefined) throw new Error(`nothing was made for an item that becomes ${item.becomes}`);
  switch (item.becomes) {
    case 'variant':
      return { type: 'image', bytes };
    case 'native':
      return nativePart(attachment, bytes);
    case 'pages':
      return { type: 'pages', name, pages: [...references], ...(gaps.length > 0 && { gaps: [...gaps] }) };
    case 'text':
      return { type: 'text-file', bytes, name };
    case 'blocked':
      throw new Error(`a delivery cannot be built from an item that becomes ${item.becomes}`);
    default:
      return item.becomes satisfies never;
  }
}

function nativePart(attachment: Planned, bytes: ByteReference): Part {
  const { part } = rulesOf(attachment);
  if (part === undefined) throw new Error('a file of no known kind cannot go as it is');
  return part === 'image' ? { type: part, bytes } : { type: part, bytes, name: attachment.name };
}

/** The attachments that a part brings or names: what is only named needs the right, too. */
export const attachmentsOf = (part: Part): AttachmentId[] =>
  part.type === 'descriptor' ? [part.attachmentId] : referencesOf(part).map(({ attachmentId }) => attachmentId);

/** Every reference of a part, in order. */
export function referencesOf(part: Part): readonly ByteReference[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [];
    case 'pages':
      return part.pages;
    case 'image':
    case 'text-file':
    case 'document':
    case 'audio':
    case 'video':
      return [part.bytes];
    default:
      return part satisfies never;
  }
}

/** The numbers of the pages that a part brings, one for each of its references. */
export function numberPages({ pages, gaps = [] }: Extract<Part, { type: 'pages' }>): number[] {
  const lost = new Set(gaps.filter(({ lacks }) => lacks === 'page').map(({ page }) => page));
  const all = Array.from({ length: pages.length + lost.size }, (_, index) => index + 1);
  return all.filter((page) => !lost.has(page));
}
