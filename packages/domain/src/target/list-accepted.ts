import type { AcceptedKind, Capability, KindCapability, TriState } from '@attache/contracts';
import { byteLimitOf } from '../plan/room/room.ts';

const kinds = ['image', 'document', 'text', 'audio', 'video'] as const;

/** Lists the content that a target takes, by kind of file. It omits everything for which a message is certain to be refused. */
export const listAccepted = (capability: Capability): AcceptedKind[] =>
  kinds.map((kind) => describeKind(kind, capability[kind]));

function describeKind(kind: (typeof kinds)[number], capability: KindCapability): AcceptedKind {
  const { transport, model, mimeTypes, maxCount, maxPages, maxEdgePixels, maxPixels } = capability;
  const maxBytes = byteLimitOf(capability);
  return {
    ...{ kind, accepted: weaker(transport, model), mimeTypes },
    ...(Number.isFinite(maxBytes) && { maxBytes }),
    ...(maxCount !== undefined && { maxCount }),
    ...(maxPages !== undefined && { maxPages }),
    ...(maxEdgePixels !== undefined && { maxEdgePixels }),
    ...(maxPixels !== undefined && { maxPixels }),
  };
}

/** Both have to say yes, and a no of one is a no. */
function weaker(one: TriState, other: TriState): TriState {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'yes' && other === 'yes' ? 'yes' : 'unknown';
}
