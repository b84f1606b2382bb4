import type { PlanNote } from '../words/describe-plan.ts';
import type { Strings } from '../words/strings.ts';

type Message = {
  text: string;
  items: readonly { status: 'uploading' | 'ready' | 'error' }[];
  isBusy: boolean;
  isSending: boolean;
  notes: readonly PlanNote[];
};

/** Why the message cannot be sent now, and what to do; undefined where it can. */
export function findObstacle({ text, items, isBusy, isSending, notes }: Message, strings: Strings): string | undefined {
  if (isSending) return strings.sending;
  if (items.some(({ status }) => status === 'error')) return strings.failedFiles;
  const blocked = notes.find(({ becomes }) => becomes === 'blocked');
  if (blocked) return blocked.reason ?? strings.blockedTitle;
  if (isBusy) return strings.waitForFiles;
  return text.trim() === '' && items.length === 0 ? strings.writeSomething : undefined;
}
