import {
  type Attachment,
  type Crop,
  Fault,
  type KindCapability,
  type Recipe,
  type ResourceView,
} from '@attache/contracts';
import { byteLimitOf, chooseImageForm, choosePageForm, isLostPage, rulesOf } from '@attache/domain';
import type { ViewForms } from '../agent-tool.ts';
import { MAX_EDGE_PIXELS, type ViewInput } from '../tool-inputs.ts';

/** 4.7 MB in base64: what one answer of a tool may hold, whatever its target takes beyond it. */
const MAX_IMAGE_BYTES = 3_500_000;
const DEFAULT_CHARACTERS = 20_000;
/** Text is never cut when it is taken out of a file; this is only a bound of the disk that it may take. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

export type ImageRecipe = Extract<Recipe, { purpose: 'inline-image' | 'page-image' }>;
type TextRecipe = Extract<Recipe, { purpose: 'decoded-text' | 'document-text' }>;

/** Text from a place on; for a page, the beginning of its text. */
export type TextView = {
  form: 'text';
  recipe: TextRecipe;
  range: { offset: number; length: number };
  page?: number;
  view: ResourceView;
};

/** A view that can be shown; `view` is the requested part. `original`: its own bytes; `isStill`: one frame of a moving image. */
export type ShownView =
  | { form: 'original'; view: ResourceView }
  | { form: 'image'; recipe: ImageRecipe; view: ResourceView; isStill?: true }
  | TextView;
export type ChosenView = ShownView | { form: 'none'; reason: string };

/** Chooses the form by the attachment's kind and what the agent can be shown. `INVALID_REQUEST` for what the kind does not have. */
export function chooseView(attachment: Attachment, input: ViewInput, forms: ViewForms): ChosenView {
  const { views } = rulesOf(attachment);
  if (views.includes('image')) {
    refuseAll(input, ['page', 'textRange'], 'An image has neither pages nor text');
    return forms.image ? chooseImage(attachment, input, forms.image) : { form: 'none', reason: noImages };
  }
  if (views.includes('pages')) return chooseDocument(attachment, input, forms);
  if (!views.includes('text')) return cannotShow(attachment);
  refuseAll(input, ['page', 'crop', 'size'], 'A text has neither pages nor pixels');
  const { encoding = 'utf-8' } = attachment.facts;
  return chooseText(input, { purpose: 'decoded-text', encoding, maxBytes: MAX_TEXT_BYTES });
}

const noImages =
  'This agent takes no images in what a tool answers, so that this image cannot be shown. Work with what is said of it here, or with its bytes by other tools.';

const noText = 'The document has no text of its own, as a scan has none. View its pages instead.';
const noImagesAndText = 'The document has no text of its own, and this agent takes no images in what a tool answers.';

const lostPage = (page: number): string =>
  `Nothing of page ${page} can be drawn. View another page, or work with the file by other tools.`;

function cannotShow({ mimeType, sizeBytes }: Attachment): ChosenView {
  const reason = `A file of type ${mimeType}, ${sizeBytes} bytes, cannot be shown by this tool: only images, PDF and text can.`;
  return { form: 'none', reason };
}

type Part = 'page' | 'crop' | 'size' | 'textRange';

function refuseAll(input: ViewInput, parts: readonly Part[], reason: string): void {
  const given = parts.find((part) => input[part] !== undefined);
  if (given) throw new Fault('INVALID_REQUEST', `${reason}. Leave out ${given}.`);
}

/** The same rule as for plans: the form that the target takes, within the bounds of an answer. A moving image that it does not take becomes its first frame. */
function chooseImage(attachment: Attachment, { crop, size }: ViewInput, image: KindCapability): ChosenView {
  const { facts } = attachment;
  const { width, height } = facts;
  if (crop && width && height) refuseOutside(crop, { width, height });
  const isStill = facts.animated === true && image.animated !== 'yes';
  const wanted = crop ? { ...attachment, facts: { ...facts, width: crop.width, height: crop.height } } : attachment;
  const bounds = boundImage(image, size?.maxEdgePixels);
  const chosen = chooseImageForm(wanted, bounds, { isPart: crop !== undefined || isStill });
  const view = { ...(crop ? { crop } : {}), ...(size ? { maxEdgePixels: size.maxEdgePixels } : {}) };
  if (chosen.form === 'none') return { form: 'none', reason: noForm(attachment) };
  if (chosen.form === 'original') return { form: 'original', view };
  const { mimeType, maxEdgePixels, maxBytes } = chosen;
  const recipe = { purpose: 'inline-image', mimeType, maxEdgePixels, maxBytes } as const;
  return { form: 'image', recipe: crop ? { ...recipe, crop } : recipe, view, ...(isStill ? { isStill } : {}) };
}

/** The limits of a target, within the bounds of one answer. */
function boundImage(image: KindCapability, wantedEdgePixels = MAX_EDGE_PIXELS): KindCapability {
  return {
    ...image,
    // A tool's answer holds the image inline, whatever carries it in a message.
    carriage: 'inline',
    maxInlineBytes: Math.min(byteLimitOf(image), MAX_IMAGE_BYTES),
    maxEdgePixels: Math.min(image.maxEdgePixels ?? MAX_EDGE_PIXELS, wantedEdgePixels),
  };
}

function noForm({ mimeType }: Attachment): string {
  return `This ${mimeType} image cannot be made into a form that this agent takes.`;
}

function refuseOutside(crop: Crop, { width, height }: { width: number; height: number }): void {
  if (crop.x + crop.width <= width && crop.y + crop.height <= height) return;
  throw new Fault('INVALID_REQUEST', `The crop does not lie within the image, which has ${width}×${height} pixels.`);
}

function chooseDocument({ facts }: Attachment, input: ViewInput, forms: ViewForms): ChosenView {
  const { pages, textBytes } = facts;
  const { page, size, textRange } = input;
  refuseAll(input, ['crop'], 'A part of a page cannot be cut out: ask for the whole page');
  if (page !== undefined && pages !== undefined && page > pages)
    throw new Fault('INVALID_REQUEST', `There is no page ${page}: the document has ${pages}.`);
  if (textRange) refuseAll(input, ['page', 'size'], 'The text of a document is counted from its beginning');
  if (textRange || !forms.image) {
    if (textBytes === 0) return { form: 'none', reason: forms.image ? noText : noImagesAndText };
    return chooseText(input, { purpose: 'document-text', maxBytes: MAX_TEXT_BYTES });
  }
  const image = boundImage(forms.image, size?.maxEdgePixels);
  const chosen = choosePageForm(image, MAX_EDGE_PIXELS);
  if (!chosen) return { form: 'none', reason: noImages };
  const view = { page: page ?? 1, ...(size ? { maxEdgePixels: size.maxEdgePixels } : {}) };
  if (isLostPage(facts, view.page)) return { form: 'none', reason: lostPage(view.page) };
  const recipe = { purpose: 'page-image', page: view.page, ...chosen, maxBytes: byteLimitOf(image) } as const;
  return { form: 'image', recipe, view };
}

function chooseText({ page, textRange }: ViewInput, recipe: TextRecipe): ChosenView {
  const range = textRange ?? { offset: 0, length: DEFAULT_CHARACTERS };
  const view = { ...(page === undefined ? {} : { page }), ...(textRange ? { textRange } : {}) };
  return { form: 'text', recipe, range, view, ...(page === undefined ? {} : { page }) };
}
