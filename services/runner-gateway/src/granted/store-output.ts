import { type AgentOutput, idFromUuid } from '@attache/contracts';
import { type IncomingFile, storeAttachment } from '@attache/intake';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from './socket-owner.ts';

export type Output = {
  stream: AsyncIterable<Uint8Array>;
  /** Set if it is known in advance. */
  sizeBytes: number | undefined;
  name: string | undefined;
  declaredMimeType: string | undefined;
};

type StoreDeps = Pick<OwningDeps, 'intake' | 'ownership'> & {
  settings: Pick<OwningDeps['settings'], 'maxOutputBytes'>;
};

/** Stores a file from an agent's tool as an attachment of its session, granted to the agent (AT-33). */
export async function storeOutput(deps: StoreDeps, owner: SocketOwner, output: Output): Promise<AgentOutput> {
  const file: IncomingFile = {
    ...owner.session,
    sizeBytes: output.sizeBytes,
    maxBytes: deps.settings.maxOutputBytes,
    origin: 'tool-output',
    actor: { type: 'agent', id: idFromUuid('agent', owner.agentId) },
    agentId: owner.agentId,
    fence: deps.ownership.fenceOf(owner.session),
  };
  const { stored } = await storeAttachment(deps.intake, file, async () => ({ ...output, source: 'tool' }));
  const { id, name, mimeType } = stored.attachment;
  return { attachmentId: id, displayUrl: stored.displayUrl, name, mimeType };
}
