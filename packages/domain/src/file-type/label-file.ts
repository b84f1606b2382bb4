import { essenceOf } from '@attache/contracts/media-type';
import { classifyMediaType, isActiveMediaType } from './classify-media-type.ts';
import { nameMediaType } from './name-media-type.ts';
import { sniffMediaType } from './sniff-media-type.ts';
import { sniffPdf } from './sniff-pdf.ts';

/** Statements about a file by its sender and by its name. */
export type FileClaims = { name?: string | undefined; declaredMimeType?: string | undefined };

const unknownType = 'application/octet-stream';
const plainText = 'text/plain';

/**
 * The type of text that a file is, if it is text: bytes cannot tell Markdown from a letter. The sender's declaration counts if it is more specific than "text",
 * then the ending of the name. Undefined if neither names a text.
 */
export function claimTextType({ name, declaredMimeType }: FileClaims): string | undefined {
  const declared = textTypeOf(declaredMimeType);
  if (declared !== undefined && declared !== plainText) return declared;
  return textTypeOf(nameMediaType(name ?? '')) ?? declared;
}

function textTypeOf(mimeType: string | undefined): string | undefined {
  const essence = essenceOf(mimeType ?? '');
  return essence !== undefined && classifyMediaType(essence) === 'text' ? essence : undefined;
}

/**
 * The type of a file that nothing has inspected yet, by its first bytes: what they begin like, else text where they read as such. No claim
 * makes it anything else; what holds them is for inspection to find.
 */
export function labelFile(head: Uint8Array, claims: FileClaims): string {
  const sniffed = sniffMediaType(head);
  const claimed = claimTextType(claims);
  if (claimed !== undefined && sniffed === 'application/pdf' && mayHoldPdf(head)) return claimed;
  if (sniffed !== undefined && !isActiveMediaType(sniffed)) return sniffed;
  // An active type by its bytes is one, whatever it is called.
  if (sniffed !== undefined) return claimed !== undefined && isActiveMediaType(claimed) ? claimed : sniffed;
  return readsAsText(head) ? (claimed ?? plainText) : unknownType;
}

// A source may hold a whole PDF, and only its end, which is not here, shows whether it does.
function mayHoldPdf(head: Uint8Array): boolean {
  return sniffPdf(head) === undefined && readsAsText(head);
}

function readsAsText(head: Uint8Array): boolean {
  const encoding =
    head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    // A last character that is cut off does not count against it.
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    return text.length > 0 && !text.includes('\0');
  } catch {
    return false;
  }
}
