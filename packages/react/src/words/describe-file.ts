import type { DraftItem, Rejection } from '@attache/client';
import { describeReason } from './describe-plan.ts';
import type { Words } from './words.ts';

/** Why a file was refused before its upload. */
export function describeRejection({ code, name, limit, actual }: Rejection, words: Words): string {
  const measure = (value: number | undefined) =>
    value === undefined ? '' : code === 'count' ? value.toLocaleString(words.strings.locale) : words.bytes(value);
  return words.say(words.strings.rejections[code], { name, limit: measure(limit), actual: measure(actual) });
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
