import type { DraftItem, Rejection } from '@attache/client';
import { describeReason } from './describe-plan.ts';
import type { Words } from './words.ts';

/** As many names as one sentence can hold. */
const MOST_NAMES = 5;

/** Why files were refused before their upload: a sentence for each reason, with the names of all that it is about. */
export function describeRejections(rejected: readonly Rejection[], words: Words): string[] {
  const groups = new Map<string, Rejection[]>();
  for (const each of rejected) {
    const key = JSON.stringify([each.code, each.limit, each.code === 'count' || each.actual]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].map((group) => describeGroup(group, words));
}

function describeGroup(group: readonly Rejection[], words: Words): string {
  const [{ code, limit = 0, actual = 0 }] = group as [Rejection];
  const names = group.slice(0, MOST_NAMES).map(({ name }) => name);
  if (group.length > MOST_NAMES) names.push(`+${group.length - MOST_NAMES}`);
  // Bytes tell sizes apart that read alike.
  const isExact = limit !== actual && words.bytes(limit) === words.bytes(actual);
  const measure = (value: number) => (code === 'count' ? value : words.bytes(value, isExact));
  return words.say(words.strings.rejections[code], {
    ...{ name: words.list(names), limit: measure(limit), actual: measure(actual) },
  });
}

/** The state of a file in words: its progress, its size, or why it failed and what to do. */
export function describeItem(
  { status, phase, sentBytes, totalBytes, sizeBytes, error }: DraftItem,
  words: Words,
): string {
  if (status === 'ready') return words.bytes(sizeBytes);
  if (status === 'error') return describeError(error, words);
  const { phases, ofBytes } = words.strings;
  if (phase !== 'sending') return phases[phase ?? 'queued'];
  return words.say(ofBytes, { sent: words.bytes(sentBytes), total: words.bytes(totalBytes) });
}

type Described = { code: string; message: string; failure?: { code: string; userMessage: string } | undefined };

/** An error in the language of the catalogue, or else in the server's own words. */
export function describeError(error: Described | undefined, words: Words): string {
  if (!error) return words.strings.failed;
  if (error.failure) return describeReason(error.failure as Parameters<typeof describeReason>[0], words);
  return words.strings.reasons[error.code] ?? error.message;
}
