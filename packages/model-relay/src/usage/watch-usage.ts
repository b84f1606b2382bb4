import type { IncomingMessage } from 'node:http';
import type { CountedUsage, ModelApi } from '../relay-types.ts';
import { createEventLines } from './event-lines.ts';
import { beginValue, createNumberScan, scanNumbers } from './number-scan.ts';
import { type CountName, usageFields, usageMarks } from './usage-fields.ts';

/** More than any model reads in a year of one conversation: what is above is no count. */
const MAX_TOKENS = 1_000_000_000;

export type UsageWatch = {
  take(chunk: Buffer): void;
  /** Undefined if the provider has counted nothing so far. */
  read(): CountedUsage | undefined;
  /** Whether it has counted the output, and not nothing of all. */
  isWhole(): boolean;
};

/** Reads what a provider counted out of an answer that passes. Keeps a few numbers, whatever passes. */
export function watchUsage(api: ModelApi, { headers }: Pick<IncomingMessage, 'headers'>): UsageWatch {
  const counts = new Map<CountName, number>();
  const onNumber = (name: CountName, spelled: string) => {
    const count = Number(spelled);
    if (Number.isInteger(count) && count >= 0 && count <= MAX_TOKENS) counts.set(name, Math.abs(count));
  };
  const scan = createNumberScan({ wanted: usageFields[api], onNumber });
  const takeData = (bytes: Buffer) => scanNumbers(scan, bytes);
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  const take = isStream
    ? createEventLines({ onData: takeData, onEnd: () => beginValue(scan), marks: usageMarks }).read
    : takeData;
  return {
    take,
    read: () => (counts.size === 0 ? undefined : composeUsage(api, counts)),
    isWhole() {
      const { inputTokens, outputTokens } = composeUsage(api, counts);
      return (counts.has('output') || counts.has('thought')) && inputTokens + outputTokens > 0;
    },
  };
}

function composeUsage(api: ModelApi, counts: ReadonlyMap<CountName, number>): CountedUsage {
  const of = (name: CountName) => counts.get(name) ?? 0;
  const input = of('input') + of('toolInput') + (api === 'anthropic' ? of('written') + of('cached') : 0);
  return {
    inputTokens: input,
    cachedInputTokens: Math.min(of('cached'), input),
    outputTokens: (counts.get('output') ?? of('begun')) + of('thought'),
  };
}
