import type { AttachmentKind } from '@attache/contracts';
import { blockFileRoom } from './block-form.ts';
import { noCost } from './plan-types.ts';
import { roomFor } from './room.ts';
import type { Route } from './route.ts';

/** What a tool can show of a kind: pictures of it, or text. Sound and moving pictures it can only name. */
const shownAs: Record<AttachmentKind, readonly ('image' | 'text')[]> = {
  image: ['image'],
  document: ['image', 'text'],
  text: ['text'],
  audio: [],
  video: [],
  unsupported: [],
};

/** Nothing is sent but the marker; the agent reads the file by a tool of ours, in a form that its model is known to take. */
export const planTool: Route = (draft, room, { capability, target }) => {
  const isShowable = shownAs[draft.attachment.kind].some((kind) => capability[kind].model === 'yes');
  if (capability.tools !== 'yes' || !isShowable) {
    const userMessage = `The runtime ${target.runtime} gives its agent no tools that show this to its model.`;
    return { block: { gate: 'transport', code: 'attachment_runtime_unsupported', userMessage }, at: draft };
  }
  const availableBytes = roomFor(room, 'inline');
  if (availableBytes < 0) return { block: blockFileRoom(0, availableBytes), at: draft };
  return {
    draft: {
      ...draft,
      checks: { ...draft.checks, budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' },
      state: 'planned',
      becomes: 'tool',
      reason: 'No form of it can be sent; the agent can read it with its attachment tools.',
      cost: noCost,
    },
  };
};
