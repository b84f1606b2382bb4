import type { AttachmentFacts, PageGap } from '@attache/contracts';
import { describePageGaps } from '@attache/domain/describe-page-gaps';
import type { InspectReply, Problem } from '../../worker-protocol.ts';
import type { DetectedFile } from '../media-kind.ts';
import { describeDamage, type PdfDocument, withPdf } from './open-pdf.ts';
import { describePageText } from './read-document-text.ts';

// Beyond these nobody wants the text as a whole, and its size stays unknown.
const mostPages = 2000;
const mostTextBytes = 8 * 1024 * 1024;
// Limit of processor time, well below that of an inspection: a long document is as good without its size of text.
const mostProcessorMs = 3000;

/** Facts of a PDF: its pages, how much text of its own it has, and which pages cannot be drawn whole. */
export async function inspectPdf({ path, mimeType, facts }: DetectedFile): Promise<InspectReply> {
  const found = await withPdf(path, measureDocument);
  if ('code' in found) return { status: 'rejected', mimeType, problem: found };
  const warnings = describePageGaps(found.pageGaps ?? []);
  return { status: 'ready', mimeType, facts: { ...facts, ...found }, warnings };
}

function measureDocument(document: PdfDocument): AttachmentFacts | Problem {
  const pages = document.pageCount;
  // A document may claim pages that it does not have.
  if (pages > mostPages) return hasPage(document, 1) && hasPage(document, pages) ? { pages } : brokenPages;
  const read = readPages(document);
  if (read === undefined) return { pages };
  const { textBytes, pageGaps, brokenCount } = read;
  if (brokenCount * 2 > pages) return brokenPages;
  return { pages, textBytes, ...(pageGaps.length > 0 && { pageGaps }) };
}

const brokenPages = describeDamage('Most pages of the document are missing or broken.');

function hasPage(document: PdfDocument, page: number): boolean {
  return document.withPage(page, () => true) ?? false;
}

function usedSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** `brokenCount`: pages that cannot even be opened. */
type Read = { textBytes: number; pageGaps: PageGap[]; brokenCount: number };

/** Reads all pages; undefined where that takes too long. */
function readPages(document: PdfDocument): Read | undefined {
  const start = process.cpuUsage();
  let textBytes = 0;
  let hasText = false;
  let brokenCount = 0;
  const pageGaps: PageGap[] = [];
  for (let page = 1; page <= document.pageCount; page += 1) {
    const found = document.withPage(page, (opened) => opened.inspect());
    const { piece, hasText: isText, isBroken } = describePageText(page, found?.text);
    if (isBroken) brokenCount += 1;
    const lacks = found === undefined ? 'page' : found.lacks;
    if (lacks) pageGaps.push({ page, lacks });
    textBytes += piece.length;
    hasText ||= isText;
    if (textBytes > mostTextBytes || usedSince(start) > mostProcessorMs) return undefined;
  }
  return { textBytes: hasText ? textBytes : 0, pageGaps, brokenCount };
}
