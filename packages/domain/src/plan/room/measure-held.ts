import type { BudgetName, ByteReference, DeliveryPlan, Part } from '@attache/contracts';
import { referencesOf } from '../compose-part.ts';
import { BLOCK_OVERHEAD_BYTES, FRAME_OVERHEAD_BYTES } from './room.ts';
import { base64Bytes, jsonTextBytes } from './transport-size.ts';

/**
 * The content that a runtime holds of a delivery once it has it. `bytes` is the size in the requests to its model, `imageBytes` the share of images in it, which
 * may be set aside.
 */
export type Held = Record<Exclude<BudgetName, 'lineBytes'>, number> & { imageBytes?: number };

/** For a delivery that its runtime has removed from its conversation again. */
export const heldNothing: Held = { bytes: 0, imageBytes: 0, pixels: 0, images: 0, pages: 0 };

/**
 * Measures the sent content; a plan knows upper bounds alone. Pixels and pages are those of the plan: the created files do not show them. `textOf` returns the
 * decoded text of a text file.
 */
export function measureHeld(
  parts: readonly Part[],
  { budget }: Pick<DeliveryPlan, 'budget'>,
  textOf: (reference: ByteReference) => string,
): Held {
  const bytes = parts.reduce(
    (sum, part) => sum + BLOCK_OVERHEAD_BYTES + measurePart(part, textOf),
    FRAME_OVERHEAD_BYTES,
  );
  const images = countImages(parts);
  const imageBytes = parts.reduce((sum, part) => sum + (countImages([part]) === 0 ? 0 : measurePart(part, textOf)), 0);
  return { bytes, imageBytes, images, pixels: budget.pixels?.used ?? 0, pages: budget.pages?.used ?? 0 };
}

function measurePart(part: Part, textOf: (reference: ByteReference) => string): number {
  if (part.type === 'text' || part.type === 'descriptor') return jsonTextBytes(part.text);
  if (part.type === 'text-file') return jsonTextBytes(part.name) + jsonTextBytes(textOf(part.bytes));
  return referencesOf(part).reduce((sum, { sizeBytes }) => sum + BLOCK_OVERHEAD_BYTES + base64Bytes(sizeBytes), 0);
}

/** The images that parts bring, the pages of documents included. */
function countImages(parts: readonly Part[]): number {
  return parts.reduce(
    (sum, part) => sum + (part.type === 'pages' ? part.pages.length : Number(part.type === 'image')),
    0,
  );
}
