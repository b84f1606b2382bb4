import { blockFileRoom } from './block-form.ts';
import { noCost } from './plan-types.ts';
import { roomFor } from './room.ts';
import type { Route } from './route.ts';

/** Nothing is sent but the marker; the agent reads the file by a tool of ours. */
export const planTool: Route = (draft, room, { capability, target }) => {
  if (capability.tools !== 'yes') {
    const userMessage = `The runtime ${target.runtime} gives its agent no tools for attachments.`;
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
