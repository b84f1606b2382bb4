import type { AttachmentFacts } from '@attache/contracts';
import type { InspectReply, Problem } from '../../worker-protocol.ts';
import type { DetectedFile } from '../media-kind.ts';
import { describeDamage, type PdfDocument, withPdf } from './open-pdf.ts';
import { readDocumentText } from './read-document-text.ts';

// Beyond these nobody wants the text as a whole, and its size stays unknown.
const mostPages = 2000;
const mostTextBytes = 8 * 1024 * 1024;
// Limit of processor time, well below that of an inspection: a long document is as good without its size of text.
const mostProcessorMs = 3000;

/** Facts of a PDF: its pages, and how much text of its own it has. */
export async function inspectPdf({ path, mimeType, facts }: DetectedFile): Promise<InspectReply> {
  const found = await withPdf(path, measureDocument);
  if ('code' in found) return { status: 'rejected', mimeType, problem: found };
  return { status: 'ready', mimeType, facts: { ...facts, ...found }, warnings: [] };
}

function measureDocument(document: PdfDocument): AttachmentFacts | Problem {
  const pages = document.pageCount;
  // A document may claim pages that it does not have.
  if (pages > mostPages) return hasPage(document, 1) && hasPage(document, pages) ? { pages } : brokenPage;
  const textBytes = measureText(document);
  if (typeof textBytes === 'object') return textBytes;
  return { pages, ...(textBytes !== undefined && { textBytes }) };
}

const brokenPage = describeDamage('A page of the document is missing or broken.');

function hasPage(document: PdfDocument, page: number): boolean {
  return document.withPage(page, () => true) ?? false;
}

function usedSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function measureText(document: PdfDocument): number | undefined | Problem {
  const start = process.cpuUsage();
  let textBytes = 0;
  let hasText = false;
  for (const page of readDocumentText(document)) {
    if (page === undefined) return brokenPage;
    textBytes += page.piece.length;
    hasText ||= page.hasText;
    if (textBytes > mostTextBytes || usedSince(start) > mostProcessorMs) return undefined;
  }
  return hasText ? textBytes : 0;
}
