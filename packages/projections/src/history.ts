import type { Marker, Part, ReplayPolicy } from '@attache/contracts';
import { countKept, describeEarlier } from '@attache/domain';

/** A message that was delivered before, with the parts that it then had where they are still known. */
export type EarlierMessage = { text: string; attachments: readonly Marker[]; parts?: readonly Part[] };

/**
 * Earlier messages, oldest first and since the last compaction, as parts to send again (SR-05). An original is repeated only if the policy keeps it, and then
 * unchanged: the text about a message stays the same until the policy changes (BX-04).
 */
export function replayHistory(messages: readonly EarlierMessage[], policy: ReplayPolicy): Part[] {
  const firstKept = messages.length - countKept(policy, messages.length);
  return messages.flatMap((message, index) => {
    return index >= firstKept && message.parts !== undefined ? message.parts : describeMessage(message);
  });
}

/** An empty text is left out: some model APIs refuse one. */
function describeMessage({ text, attachments }: EarlierMessage): Part[] {
  const distinct = new Map(attachments.map((attachment) => [attachment.id, attachment]));
  const descriptors = [...distinct.values()].map((attachment): Part => {
    return { type: 'descriptor', attachmentId: attachment.id, text: describeEarlier(attachment) };
  });
  return text === '' ? descriptors : [{ type: 'text', text }, ...descriptors];
}
