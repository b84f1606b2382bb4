import type { Recipe } from '@attache/contracts';
import { writeOutput } from '../../file/write-output.ts';
import type { Problem, VariantReply, VariantTask } from '../../worker-protocol.ts';
import { describeExcess, fitImage } from '../image/fit-image.ts';
import type { Raster } from '../image/raster.ts';
import { describeDamage, type PdfDocument, withPdf } from './open-pdf.ts';
import type { PdfPage } from './open-pdf-page.ts';

type PageRecipe = Extract<Recipe, { purpose: 'page-image' }>;
type DrawnPage = { raster: Raster; widthPoints: number; heightPoints: number };

/** One page of a document on white, within the recipe's pixels and bytes. */
export async function makePageImage(task: VariantTask, recipe: PageRecipe): Promise<VariantReply> {
  const { mimeType, maxBytes, page } = recipe;
  const drawn = await withPdf(task.path, (document) => drawPage(document, recipe));
  if ('code' in drawn) return { status: 'failed', problem: drawn };
  const image = await fitImage(drawn.raster, mimeType, maxBytes);
  if (image === undefined) return { status: 'failed', problem: describeExcess(maxBytes) };
  const { measure } = writeOutput(task.outputPath, (write) => write(image.bytes));
  const { width, height } = image;
  return { status: 'made', mimeType, ...measure, width, height, scale: scaleOf(image, drawn), page, warnings: [] };
}

function drawPage(document: PdfDocument, { page, maxEdgePixels }: PageRecipe): DrawnPage | Problem {
  const drawn = document.withPage(page, (opened) => {
    const size = fitPage(opened, maxEdgePixels);
    if (size === undefined) return undefined;
    const { widthPoints, heightPoints } = opened;
    return { raster: opened.draw(size.width, size.height), widthPoints, heightPoints };
  });
  return drawn ?? describeDamage('The document has no such page, or it is broken.');
}

// 288 pixels per inch: more shows nothing new of a page.
const mostPixelsPerPoint = 4;
// Whatever was asked for, the drawn page fits into a worker several times.
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
