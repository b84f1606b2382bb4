import type { Recipe } from '@attache/contracts';
import { describePageGaps } from '@attache/domain/describe-page-gaps';
import { writeOutput } from '../../file/write-output.ts';
import type { Problem, VariantReply, VariantTask } from '../../worker-protocol.ts';
import { describeExcess, fitImage } from '../image/fit-image.ts';
import type { Raster } from '../image/raster.ts';
import type { Lack, PageLook } from './content/page-loss.ts';
import { describeDamage, type PdfDocument, withPdf } from './open-pdf.ts';
import type { PdfPage } from './open-pdf-page.ts';

type PageRecipe = Extract<Recipe, { purpose: 'page-image' }>;
type DrawnPage = { raster: Raster; widthPoints: number; heightPoints: number; lacks: Lack | undefined };

/** One page of a document on white, within the recipe's pixels and bytes, with what it leaves out. A problem if nothing of it is drawn. */
export async function makePageImage(task: VariantTask, recipe: PageRecipe): Promise<VariantReply> {
  const { mimeType, maxBytes, page } = recipe;
  const drawn = await drawWithFonts(task.path, recipe);
  if ('code' in drawn) return { status: 'failed', problem: drawn };
  if (drawn.lacks === 'page') return { status: 'failed', problem: nothingDrawn };
  const image = await fitImage(drawn.raster, mimeType, maxBytes);
  if (image === undefined) return { status: 'failed', problem: describeExcess(maxBytes) };
  const { measure } = writeOutput(task.outputPath, (write) => write(image.bytes));
  const { width, height } = image;
  const warnings = drawn.lacks === undefined ? [] : describePageGaps([{ page, lacks: drawn.lacks }]);
  return { status: 'made', mimeType, ...measure, width, height, scale: scaleOf(image, drawn), page, warnings };
}

const unreadable = (diagnostic: string): Problem => ({ code: 'attachment_page_unreadable', diagnostic });
const nothingDrawn = unreadable('The page has content, and nothing of it is drawn.');
const brokenPage = unreadable('The page cannot be opened.');
const noPage = describeDamage('The document has no such page.');

/** Draws a page; where its fonts lack characters, with fonts of ours that have them. */
async function drawWithFonts(path: string, recipe: PageRecipe): Promise<DrawnPage | Problem> {
  const drawn = await withPdf(path, (document) => drawPage(document, recipe));
  if (!('fonts' in drawn)) return drawn;
  const again = await withPdf(path, (document) => drawPage(document, recipe, drawn), drawn.fonts);
  return 'fonts' in again ? brokenPage : again;
}

/** `look`: what was seen of the page without the fonts that it lacks; the document is open with them now. */
function drawPage(document: PdfDocument, recipe: PageRecipe, look?: PageLook): DrawnPage | PageLook | Problem {
  const { page, maxEdgePixels } = recipe;
  if (page > document.pageCount) return noPage;
  const drawn = document.withPage(page, (opened) => {
    const size = fitPage(opened, maxEdgePixels);
    if (size === undefined) return undefined;
    const seen = opened.look();
    if (look === undefined && seen.fonts.length > 0) return seen;
    const { widthPoints, heightPoints } = opened;
    const raster = opened.draw(size.width, size.height);
    const lacks = opened.findLoss(raster, look === undefined ? seen : { ...seen, lacks: look.lacks });
    return { raster, widthPoints, heightPoints, lacks };
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
