import type { DeliverRequest } from '@attache/agent-process';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import { type ByteReference, uuidFromId } from '@attache/contracts';
import { projectToClaude } from '../projection/project-to-claude.ts';

/** The user line of a delivery. Its uuid is the delivery's own, and is in the program's transcript. */
export function userFrame({ deliveryId, parts, contents }: DeliverRequest): Frame {
  return createFrame((embed) => {
    const rendering = {
      base64: (reference: ByteReference) => embed(contents.embedded(reference)),
      text: (reference: ByteReference) => contents.text(reference),
    };
    return { ...projectToClaude(parts, rendering), uuid: uuidFromId(deliveryId), parent_tool_use_id: null };
  });
}
