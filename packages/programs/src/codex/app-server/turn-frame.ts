import type { DeliverRequest } from '@attache/agent-process';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import type { ByteReference } from '@attache/contracts';
import { projectToCodexTurn } from '../projection/project-to-codex-turn.ts';

// Said where our sandbox is around the program: what it starts itself needs no other. Its approvals are not changed by that.
const OUR_SANDBOX = { sandboxPolicy: { type: 'externalSandbox', networkAccess: 'restricted' } };

/** `turn/start` of a delivery. Its id is in the request and, as the client's own, in the program's transcript. */
export function turnFrame(threadId: string, request: DeliverRequest, isSandboxed = false): Frame {
  return frameOf('turn/start', request, { threadId, ...(isSandboxed ? OUR_SANDBOX : {}) });
}

/** `turn/steer`: the delivery enters the turn that runs. Refused by the program where that has ended meanwhile. */
export function steerFrame(threadId: string, expectedTurnId: string, request: DeliverRequest): Frame {
  return frameOf('turn/steer', request, { threadId, expectedTurnId });
}

function frameOf(method: string, { deliveryId, parts, contents }: DeliverRequest, params: object): Frame {
  return createFrame((embed, nameFile) => {
    const input = projectToCodexTurn(parts, {
      base64: (reference: ByteReference) => embed(contents.embedded(reference)),
      text: (reference: ByteReference) => contents.text(reference),
      path: (reference: ByteReference) => nameFile(contents.embedded(reference)),
    });
    return { id: deliveryId, method, params: { ...params, clientUserMessageId: deliveryId, input } };
  });
}
