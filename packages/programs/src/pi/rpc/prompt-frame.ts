import type { DeliverRequest } from '@attache/agent-process';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import type { ByteReference } from '@attache/contracts';
import { projectToPi } from '../projection/project-to-pi.ts';

// A text that begins with a slash and the name of a command runs that instead of a turn, and nothing says when it is over (seen with 0.87.1).
const COMMAND_SIGN = '/';

/** The `prompt` command of a delivery; its id is the delivery's. */
export function promptFrame({ deliveryId, parts, contents }: DeliverRequest): Frame {
  return createFrame((embed) => {
    const rendering = {
      base64: (reference: ByteReference) => embed(contents.embedded(reference)),
      text: (reference: ByteReference) => contents.text(reference),
    };
    const prompt = projectToPi(parts, rendering);
    const message = prompt.message.startsWith(COMMAND_SIGN) ? `\n${prompt.message}` : prompt.message;
    return { id: deliveryId, ...prompt, message };
  });
}
