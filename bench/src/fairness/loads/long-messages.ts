import type { StartLoad } from './load.ts';
import { repeatMessages } from './repeat-messages.ts';

const WORDS = 'one word after another, ';
const TEXT_BYTES = 1_000_000;

/** Messages of 1 MB of words. */
export const startLongMessages: StartLoad = (target) => {
  const text = `example: refuse\n${WORDS.repeat(TEXT_BYTES / WORDS.length)}`;
  return repeatMessages(target, (agentId) => ({ to: [agentId], text }));
};
