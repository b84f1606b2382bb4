import type { Recipe } from '@attache/contracts';
import { writeOutput } from '../../file/write-output.ts';
import type { Problem, VariantReply, VariantTask } from '../../worker-protocol.ts';
import { describeExcess, fitImage } from '../image/fit-image.ts';
import type { Raster } from '../image/raster.ts';
import type { FallbackFont } from './fonts/fallback-fonts.ts';
import { describeDamage, type PdfDocument, withPdf } from './open-pdf.ts';
import type { PdfPage } from './open-pdf-page.ts';

type PageRecipe = Extract<Recipe, { purpose: 'page-image' }>;
type DrawnPage = { raster: Raster; widthPoints: number; heightPoints: number };

/** One page of a document on white, within the recipe's pixels and bytes. */
export async function makePageImage(task: VariantTask, recipe: PageRecipe): Promise<VariantReply> {
  const { mimeType, maxBytes, page } = recipe;
  const drawn = await drawWithFonts(task.path, recipe);
  if ('code' in drawn) return { status: 'failed', problem: drawn };
  const image = await fitImage(drawn.raster, mimeType, maxBytes);
  if (image === undefined) return { status: 'failed', problem: describeExcess(maxBytes) };
  const { measure } = writeOutput(task.outputPath, (write) => write(image.bytes));
  const { width, height } = image;
  return { status: 'made', mimeType, ...measure, width, height, scale: scaleOf(image, drawn), page, warnings: [] };
}

/** Draws a page; where its fonts lack characters, with fonts of ours that have them. */
async function drawWithFonts(path: string, recipe: PageRecipe): Promise<DrawnPage | Problem> {
  const drawn = await withPdf(path, (document) => drawPage(document, recipe, (page) => page.findFonts()));
  if (!('missing' in drawn)) return drawn;
  const again = await withPdf(path, (document) => drawPage(document, recipe, () => []), drawn.missing);
  return 'missing' in again ? brokenPage : again;
}

const brokenPage = describeDamage('The document has no such page, or it is broken.');

type MissingFonts = { missing: FallbackFont[] };

function drawPage(
  document: PdfDocument,
  { page, maxEdgePixels }: PageRecipe,
  findMissing: (page: PdfPage) => FallbackFont[],
): DrawnPage | MissingFonts | Problem {
  const drawn = document.withPage(page, (opened) => {
    const size = fitPage(opened, maxEdgePixels);
    if (size === undefined) return undefined;
    const missing = findMissing(opened);
    if (missing.length > 0) return { missing };
    const { widthPoints, heightPoints } = opened;
    return { raster: opened.draw(size.width, size.height), widthPoints, heightPoints };
  });
  return drawn ?? brokenPage;
}

// 288 pixels per inch: more shows nothing new of a page.
const mostPixelsPerPoint = 4;
// With this limit, the drawn page fits into a worker several times, whatever size was requested.
const largestEdgePixels = 4000;

function fitPage({ widthPoints, heightPoints }: PdfPage, maxEdgePixels: number) {
  const longest = Math.max(widthPoints, heightPoints);
  if (!(widthPoints > 0 && heightPoints > 0) || !Number.isFinite(longest)) return undefined;
  const scale = Math.min(maxEdgePixels / longest, largestEdgePixels / longest, mostPixelsPerPoint);
  const toPixels = (points: number) => Math.max(1, Math.round(points * scale));
  return { width: toPixels(widthPoints), height: toPixels(heightPoints) };
}

// Along the longer side, where rounding errs least (BX-13).
function scaleOf(image: { width: number; height: number }, { widthPoints, heightPoints }: DrawnPage): number {
  return widthPoints >= heightPoints ? image.width / widthPoints : image.height / heightPoints;
}
