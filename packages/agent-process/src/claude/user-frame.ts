import { type ByteReference, uuidFromId } from '@attache/contracts';
import { projectToClaude } from '@attache/projections';
import type { DeliverRequest } from '../driver.ts';
import { createFrame, type Frame } from '../frames/create-frame.ts';

/** The user line of a delivery. Its uuid is the delivery's own, and stands in the program's transcript. */
export function userFrame({ deliveryId, parts, contents }: DeliverRequest): Frame {
  return createFrame((embed) => {
    const rendering = {
      base64: (reference: ByteReference) => embed(contents.embedded(reference)),
      text: (reference: ByteReference) => contents.text(reference),
    };
    return { ...projectToClaude(parts, rendering), uuid: uuidFromId(deliveryId), parent_tool_use_id: null };
  });
}
