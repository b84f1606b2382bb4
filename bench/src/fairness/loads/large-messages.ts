import { makeNoisePng } from '@attache/test-harness';
import type { StartLoad } from './load.ts';
import { repeatMessages } from './repeat-messages.ts';

/** 16 MiB as base64. */
const FILE_BYTES = 11.9 * 1024 * 1024;

/** Messages of 16 MiB, each a picture. */
export const startLargeMessages: StartLoad = (target) => {
  const data = Buffer.from(makeNoisePng(FILE_BYTES)).toString('base64');
  const attachments = [{ data, mimeType: 'image/png' }];
  // The agent refuses at once: what it does is no work of messages.
  return repeatMessages(target, (agentId) => ({ to: [agentId], attachments, text: 'example: refuse' }));
};
