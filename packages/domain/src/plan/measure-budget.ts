import type { Budget } from '@attache/contracts';
import { announceAttachments } from '../marker.ts';
import { jsonTextBytes } from '../transport-size.ts';
import type { Draft, PlannableAttachment, PlanRequestInput } from './plan-types.ts';

/** The protocol's own words around a message: method, ids, trace context, the text block. */
const FRAME_OVERHEAD_BYTES = 2048;
/** A block's own words around its content; its name may stand in an address and in a header, escaped. */
const BLOCK_OVERHEAD_BYTES = 512;
const NAME_COPIES = 8;

/** Upper bound of a message's line without the contents of its attachments. */
export function measureFrame(text: string, attachments: readonly PlannableAttachment[]): number {
  const blocks = attachments.reduce((sum, { name, mimeType }) => {
    return sum + BLOCK_OVERHEAD_BYTES + NAME_COPIES * jsonTextBytes(name) + jsonTextBytes(mimeType);
  }, 0);
  return FRAME_OVERHEAD_BYTES + jsonTextBytes(announceAttachments(text, attachments)) + blocks;
}

/** What one message may hold serialised: the line, and the model's request with its history. No limit known is infinite. */
export function measureCapacity({ capability, resident }: PlanRequestInput): number {
  const line = (capability.maxLineBytes ?? Number.POSITIVE_INFINITY) - (resident.lineBytes ?? 0);
  const request = (capability.maxRequestBytes ?? Number.POSITIVE_INFINITY) - (resident.bytes ?? 0);
  return Math.min(line, request);
}

/** What the message would use of each budget that has a limit. `bytes` and `lineBytes` are serialised upper bounds. */
export function measureBudget(input: PlanRequestInput, frameBytes: number, drafts: readonly Draft[]): Budget {
  const planned = drafts.filter((draft) => draft.state === 'planned');
  const serialised = frameBytes + planned.reduce((sum, { lineBytes }) => sum + lineBytes, 0);
  const pixels = planned.reduce((sum, draft) => sum + draft.pixels, 0);
  const { capability, resident } = input;
  const images = drafts.filter(({ attachment }) => attachment.kind === 'image').length;
  return {
    ...entry('bytes', serialised, capability.maxRequestBytes, resident.bytes),
    ...entry('pixels', pixels, pixelLimit(input), resident.pixels),
    ...entry('images', images, capability.image.maxCount, resident.images),
    ...entry('lineBytes', serialised, capability.maxLineBytes, resident.lineBytes),
  };
}

function entry(name: keyof Budget, used: number, limit: number | undefined, resident = 0): Budget {
  return limit === undefined ? {} : { [name]: { used: clamp(used), limit: clamp(limit), resident: clamp(resident) } };
}

function clamp(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, value);
}

/** As many pixels as the target's images may have in all. */
function pixelLimit({ capability: { image } }: PlanRequestInput): number | undefined {
  const edgePixels = image.maxEdgePixels === undefined ? undefined : image.maxEdgePixels ** 2;
  const each = Math.min(image.maxPixels ?? Number.POSITIVE_INFINITY, edgePixels ?? Number.POSITIVE_INFINITY);
  return image.maxCount === undefined || each === Number.POSITIVE_INFINITY ? undefined : each * image.maxCount;
}
