import type { KindCapability, PagesRecipe } from '@attache/contracts';
import { describeQuality } from '@attache/contracts/jpeg-qualities';
import { describePageGaps } from '../../file-type/describe-page-gaps.ts';
import { rulesOf } from '../../file-type/kind-rules.ts';
import { gateKind } from '../gate-kind.ts';
import { refuse } from '../gates.ts';
import {
  type Block,
  noCost,
  type PlannableAttachment,
  type PlannedDraft,
  type PlanRequestInput,
  type Room,
  type Route,
  type RouteOutcome,
  type SharingDraft,
} from '../plan-types.ts';
import { byteLimitOf, costOf, roomFor } from '../room/room.ts';
import { base64Bytes, bytesWithinBase64 } from '../room/transport-size.ts';
import {
  blockConversion,
  blockFileRoom,
  blockFileType,
  blockPageSize,
  blockPages,
  blockUnreadable,
} from './block-form.ts';

/** Small print stays readable at it, and no model is known to look at more. */
const PAGE_EDGE_PIXELS = 1568;
/** A page of text and drawings in good quality. */
const PAGE_BYTES = 768 * 1024;
/** With less a page of text cannot be read any more. */
const MIN_PAGE_BYTES = 48 * 1024;

/** All pages of a document as images, unless these lack words. They share the message's room with its images. */
export const planPages: Route = (draft, room, input) => planPagesUnless(isPartlyLost, draft, room, input);

/** The same for a document that can be sent in no other form: also pages that lack words. */
export const planIncompletePages: Route = (draft, room, input) => planPagesUnless(isLost, draft, room, input);

function planPagesUnless(
  isRefused: (attachment: PlannableAttachment) => boolean,
  ...[draft, room, input]: Parameters<Route>
): RouteOutcome {
  const { attachment } = draft;
  const { draft: gated, blocks, isKnown } = gateKind(draft, 'image', input);
  const budget = blockBudget(attachment.facts.pages, room, input);
  const prepare = isKnown ? blockPrepare(attachment, input) : undefined;
  const unread = isRefused(attachment) || isLost(attachment) ? blockUnreadable(attachment) : undefined;
  const refusal = refuse(gated, [budget, ...blocks, prepare ?? unread]);
  if (refusal) return refusal;
  const warnings = [...gated.warnings, ...describePageGaps(attachment.facts.pageGaps ?? [])];
  const reason = `${input.target.model} does not get this ${rulesOf(draft.attachment).noun} as it is; it gets ${attachment.facts.pages === 1 ? 'its page as an image' : `its ${attachment.facts.pages} pages as images`}.`;
  return { draft: { ...gated, warnings, state: 'sharing', as: 'pages', reason } };
}

/** Whether another form may have words that the pages of a document lack. Its pictures no other form has. */
const isPartlyLost = ({ facts }: PlannableAttachment): boolean =>
  facts.pageGaps?.some(({ lacks }) => lacks === 'words' || lacks === 'unmapped') ?? false;

/** Whether nobody could read any page of a document as an image. */
function isLost({ facts: { pages, pageGaps = [] } }: PlannableAttachment): boolean {
  const lost = pageGaps.filter(({ lacks }) => lacks === 'page' || lacks === 'unmapped');
  return lost.length > 0 && lost.length === pages;
}

function blockBudget(pages: number | undefined, room: Room, input: PlanRequestInput): Block | undefined {
  const { image } = input.capability;
  if (pages === undefined || pages === 0 || pages > room.images) return blockPages(pages, room.images, 'as images');
  const availableBytes = roomFor(room, image.carriage) - room.reservedBytes;
  const neededBytes = leastPageBytes(pages);
  if (neededBytes > availableBytes) return blockFileRoom(neededBytes, availableBytes);
  return byteLimitOf(image) < MIN_PAGE_BYTES ? blockPageSize(MIN_PAGE_BYTES, byteLimitOf(image)) : undefined;
}

function blockPrepare(attachment: PlannableAttachment, input: PlanRequestInput): Block | undefined {
  const { image } = input.capability;
  if (choosePageForm(image, PAGE_EDGE_PIXELS) === undefined) return blockFileType(attachment, input, image.mimeTypes);
  return input.conversions === 'deny' ? blockConversion() : undefined;
}

/** The least size of a document's pages, serialised. */
export function leastPageBytes(pages: number): number {
  return pages * base64Bytes(MIN_PAGE_BYTES);
}

/** The preferred size of one page, serialised. */
export function neededPageBytes(image: KindCapability): number {
  return base64Bytes(Math.min(PAGE_BYTES, byteLimitOf(image)));
}

/** Chooses the image form for a page of a document; undefined if the target takes no image that can be made. */
export function choosePageForm(
  image: KindCapability,
  wantedEdgePixels: number,
): Pick<PagesRecipe, 'mimeType' | 'maxEdgePixels'> | undefined {
  const mimeType = (['image/jpeg', 'image/png'] as const).find((type) => image.mimeTypes.includes(type));
  // A page may have any shape: a square is the worst.
  const byPixels = Math.floor(Math.sqrt(image.maxPixels ?? Number.POSITIVE_INFINITY));
  const maxEdgePixels = Math.min(wantedEdgePixels, image.maxEdgePixels ?? wantedEdgePixels, byPixels);
  return mimeType && { mimeType, maxEdgePixels };
}

/** The pages of a document, each with `grantBytes` of the room. */
export function settlePages(draft: SharingDraft, grantBytes: number, { capability }: PlanRequestInput): PlannedDraft {
  const { image } = capability;
  const pages = draft.attachment.facts.pages ?? 0;
  const form = choosePageForm(image, PAGE_EDGE_PIXELS);
  if (form === undefined) throw new Error('pages share the room of a target that takes none');
  const { mimeType, maxEdgePixels } = form;
  const maxBytes = Math.min(bytesWithinBase64(grantBytes), byteLimitOf(image));
  const sent = pages === 1 ? 'Its page is sent as an image' : `Its ${pages} pages are sent as images`;
  const message = `${sent} of at most ${maxEdgePixels} pixels a side, ${describeQuality(mimeType)}.`;
  return {
    ...draft,
    checks: { ...draft.checks, budget: 'yes', prepare: 'yes' },
    warnings: [...draft.warnings, { code: 'pages_rendered', severity: 'info', message }],
    state: 'planned',
    becomes: 'pages',
    recipe: { purpose: 'page-images', pages, mimeType, maxEdgePixels, maxBytes },
    cost: {
      ...noCost,
      ...costOf(pages * base64Bytes(maxBytes), image.carriage),
      pixels: pages * maxEdgePixels ** 2,
      images: pages,
    },
  };
}
