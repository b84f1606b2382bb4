import type { Recipe, Warning } from '@attache/contracts';
import { isActiveMediaType } from '@attache/domain/classify-media-type';
import { describeDecoding, describeLeftOut } from '@attache/domain/describe-decoding';
import { createMediaOmission, type MediaOmission } from '@attache/domain/leave-out-media';
import type { FaultCounts } from '@attache/domain/lenient-decoder';
import { findLabel } from '@attache/domain/text-decoder';
import { type WritePiece, writeOutput } from '../../file/write-output.ts';
import type { Problem, VariantReply, VariantTask } from '../../worker-protocol.ts';
import { decodeFile } from './decode-file.ts';

type TextRecipe = Extract<Recipe, { purpose: 'decoded-text' }>;

/** The whole text of a file as UTF-8 without a byte order mark, in bounded memory. It is never cut to fit. */
export function makeDecodedText({ path, outputPath, mimeType }: VariantTask, recipe: TextRecipe): VariantReply {
  const encoding = findLabel(recipe.encoding);
  const linesAs = recipe.linesAs === undefined ? undefined : findLabel(recipe.linesAs);
  if (encoding === undefined || (recipe.linesAs !== undefined && linesAs === undefined)) {
    return fail({ code: 'attachment_optimization_failed', diagnostic: 'The encoding is not known.' });
  }
  const media = recipe.withoutMedia ? createMediaOmission() : undefined;
  const { produced, measure } = writeOutput(outputPath, (write) =>
    writeText(decodeFile(path, encoding, linesAs), { ...recipe, media }, write),
  );
  if ('code' in produced) return fail(produced);
  // A variant is shown as its type says.
  const type = isActiveMediaType(mimeType) ? 'text/plain' : mimeType;
  return {
    status: 'made',
    mimeType: type,
    ...measure,
    warnings: [...warnDecoded(encoding, produced, linesAs), ...describeLeftOut(media?.count())],
  };
}

type Written = { maxBytes: number; media: MediaOmission | undefined };

function writeText(
  texts: ReturnType<typeof decodeFile>,
  { maxBytes, media }: Written,
  write: WritePiece,
): Problem | FaultCounts {
  let total = 0;
  for (;;) {
    const { done, value } = texts.next();
    const text = done ? media?.end() : (media?.push(value) ?? value);
    const piece = Buffer.from(text ?? '');
    total += piece.length;
    if (total > maxBytes) {
      const diagnostic = 'The decoded text is larger than allowed.';
      return { code: 'attachment_too_large_optimized', diagnostic, safeDetails: { maxBytes } };
    }
    write(piece);
    if (done) return value;
  }
}

function warnDecoded(encoding: string, { replaced, otherLines }: FaultCounts, linesAs: string | undefined): Warning[] {
  if (encoding === 'utf-8' && replaced + otherLines === 0) return [];
  const faults = { replaced, ...(otherLines > 0 ? { otherLines, linesAs } : {}) };
  return [{ code: 'text_decoded', severity: 'info', message: describeDecoding(encoding, faults) }];
}

function fail(problem: Problem): VariantReply {
  return { status: 'failed', problem };
}
