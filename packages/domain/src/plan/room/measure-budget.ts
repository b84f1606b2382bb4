import type { Budget } from '@attache/contracts';
import { type Cost, type Draft, noCost, type PlanRequestInput } from '../plan-types.ts';

/** The message's use of each budget that has a limit. `bytes` and `lineBytes` are serialised upper bounds. */
export function measureBudget(input: PlanRequestInput, frameBytes: number, drafts: readonly Draft[]): Budget {
  const { capability, resident } = input;
  const ofImages = input.setsAside ? clampedEntry : entry;
  const used = drafts.reduce<Cost>(
    (sum, draft) => (draft.state === 'planned' ? addCost(sum, draft.cost) : sum),
    noCost,
  );
  const wanted = drafts.filter(({ attachment, state }) => attachment.kind === 'image' && state === 'blocked').length;
  return {
    ...ofImages('bytes', used.requestBytes + frameBytes, capability.maxRequestBytes, resident.bytes),
    ...ofImages('pixels', used.pixels, pixelLimit(input), resident.pixels),
    ...ofImages('images', used.images + wanted, capability.image.maxCount, resident.images),
    ...entry('pages', used.pages, capability.document.maxPages, resident.pages),
    ...entry('lineBytes', used.lineBytes + frameBytes, capability.maxLineBytes, resident.lineBytes),
  };
}

function addCost(a: Cost, b: Cost): Cost {
  return {
    lineBytes: a.lineBytes + b.lineBytes,
    requestBytes: a.requestBytes + b.requestBytes,
    pixels: a.pixels + b.pixels,
    images: a.images + b.images,
    pages: a.pages + b.pages,
  };
}

function entry(name: keyof Budget, used: number, limit: number | undefined, resident = 0): Budget {
  return limit === undefined ? {} : { [name]: { used: clamp(used), limit: clamp(limit), resident: clamp(resident) } };
}

/** A history whose old images are set aside keeps at most what the message leaves of a limit. */
function clampedEntry(name: keyof Budget, used: number, limit: number | undefined, resident = 0): Budget {
  return entry(name, used, limit, limit === undefined ? resident : Math.min(resident, Math.max(0, limit - used)));
}

function clamp(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, value);
}

/** The number of pixels that the target's images may have in all. */
function pixelLimit({ capability: { image } }: PlanRequestInput): number | undefined {
  const edgePixels = image.maxEdgePixels === undefined ? undefined : image.maxEdgePixels ** 2;
  const each = Math.min(image.maxPixels ?? Number.POSITIVE_INFINITY, edgePixels ?? Number.POSITIVE_INFINITY);
  return image.maxCount === undefined || each === Number.POSITIVE_INFINITY ? undefined : each * image.maxCount;
}
