import type { Recipe, Warning } from '@attache/contracts';
import { type Measure, type WritePiece, writeOutput } from '../../file/write-output.ts';
import type { Problem, VariantReply, VariantTask } from '../../worker-protocol.ts';
import { type PdfDocument, withPdf } from './open-pdf.ts';
import { readDocumentText } from './read-document-text.ts';

type TextRecipe = Extract<Recipe, { purpose: 'document-text' }>;

/** The text of all pages as UTF-8, each under a line with its number. It is never cut to fit. */
export async function makeDocumentText(task: VariantTask, recipe: TextRecipe): Promise<VariantReply> {
  const written = await withPdf(task.path, (document) => writeDocument(document, task.outputPath, recipe.maxBytes));
  if ('code' in written) return { status: 'failed', problem: written };
  return { status: 'made', mimeType: 'text/plain', ...written, warnings: [extracted] };
}

const extracted: Warning = {
  code: 'text_extracted',
  severity: 'info',
  message: 'The text of the pages without their layout and pictures.',
};

function writeDocument(document: PdfDocument, outputPath: string, maxBytes: number): Measure | Problem {
  const { produced: problem, measure } = writeOutput(outputPath, (write) => writePages(document, maxBytes, write));
  return problem ?? measure;
}

function writePages(document: PdfDocument, maxBytes: number, write: WritePiece): Problem | undefined {
  let total = 0;
  let hasText = false;
  for (const page of readDocumentText(document)) {
    total += page.piece.length;
    hasText ||= page.hasText;
    if (total > maxBytes) {
      const diagnostic = 'The text of the document is larger than allowed.';
      return { code: 'attachment_too_large_optimized', diagnostic, safeDetails: { maxBytes } };
    }
    write(page.piece);
  }
  if (hasText) return undefined;
  return { code: 'attachment_optimization_failed', diagnostic: 'The document has no text of its own.' };
}
