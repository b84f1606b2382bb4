import type { DeliverRequest } from '@attache/agent-process';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import type { ByteReference } from '@attache/contracts';
import { projectToPi } from '../projection/project-to-pi.ts';

/** The `prompt` command of a delivery; its id is the delivery's. */
export function promptFrame({ deliveryId, parts, contents }: DeliverRequest): Frame {
  return createFrame((embed) => {
    const rendering = {
      base64: (reference: ByteReference) => embed(contents.embedded(reference)),
      text: (reference: ByteReference) => contents.text(reference),
    };
    return { id: deliveryId, ...projectToPi(parts, rendering) };
  });
}
