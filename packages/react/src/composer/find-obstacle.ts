import type { PlanNote } from '../words/describe-plan.ts';
import type { Strings } from '../words/strings.ts';

type Message = {
  text: string;
  items: readonly { status: 'uploading' | 'ready' | 'error' }[];
  isBusy: boolean;
  isSending: boolean;
  hasEnded: boolean;
  notes: readonly PlanNote[];
};

/** Why the message cannot be sent now, and what to do; undefined where it can. */
export function findObstacle(
  { text, items, isBusy, isSending, hasEnded, notes }: Message,
  strings: Strings,
): string | undefined {
  if (isSending) return strings.sending;
  if (hasEnded) return strings.sessionEnded;
  if (items.some(({ status }) => status === 'error')) return strings.failedFiles;
  if (notes.some(({ becomes }) => becomes === 'blocked')) return strings.seeReasons;
  if (isBusy) return strings.waitForFiles;
  return text.trim() === '' && items.length === 0 ? strings.writeSomething : undefined;
}
