import type { Recipe, Warning } from '@attache/contracts';
import { findLabel } from '@attache/domain/text-decoder';
import { type WritePiece, writeOutput } from '../../file/write-output.ts';
import type { Problem, VariantReply, VariantTask } from '../../worker-protocol.ts';
import { decodeFile } from './decode-file.ts';

type TextRecipe = Extract<Recipe, { purpose: 'decoded-text' }>;

/** The whole text of a file as UTF-8 without a byte order mark, in bounded memory. It is never cut to fit. */
export function makeDecodedText({ path, outputPath }: VariantTask, recipe: TextRecipe): VariantReply {
  const encoding = findLabel(recipe.encoding);
  if (encoding === undefined) {
    return fail({ code: 'attachment_optimization_failed', diagnostic: 'The encoding is not known.' });
  }
  const { produced: problem, measure } = writeOutput(outputPath, (write) =>
    writeText(decodeFile(path, encoding), recipe.maxBytes, write),
  );
  if (problem) return fail(problem);
  return { status: 'made', mimeType: 'text/plain', ...measure, warnings: describeDecoding(encoding) };
}

function writeText(texts: Iterable<string | undefined>, maxBytes: number, write: WritePiece): Problem | undefined {
  let total = 0;
  for (const text of texts) {
    if (text === undefined) {
      return { code: 'attachment_corrupt', diagnostic: 'The bytes are not text in the recorded encoding.' };
    }
    const piece = Buffer.from(text);
    total += piece.length;
    if (total > maxBytes) {
      const diagnostic = 'The decoded text is larger than allowed.';
      return { code: 'attachment_too_large_optimized', diagnostic, safeDetails: { maxBytes } };
    }
    write(piece);
  }
  return undefined;
}

function describeDecoding(encoding: string): Warning[] {
  if (encoding === 'utf-8') return [];
  return [{ code: 'text_decoded', severity: 'info', message: `Decoded from ${encoding} to UTF-8.` }];
}

function fail(problem: Problem): VariantReply {
  return { status: 'failed', problem };
}
