import { judgeBody } from '../body/judge-body.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { ModelApi, RelayAccess } from '../relay-types.ts';

export type ReadOptions = { api?: ModelApi; cuts?: readonly number[]; errandTexts?: readonly string[] };

/** Reads a generating request with this body, in chunks that end at `cuts`; `refused` if the relay does not pass it on. */
export function readBody(
  json: string | Buffer,
  { api = 'anthropic', cuts = [], errandTexts = [] }: ReadOptions = {},
): RelayedContent | 'refused' | undefined {
  const access = {
    ...{ model: 'm', errands: [], errandTexts, maxRequestBytes: undefined },
    endpoint: { api, baseUrl: '', readKey: async () => undefined },
  } as unknown as RelayAccess;
  const judge = judgeBody(access, { kind: 'generate', isInTurn: true }, () => {});
  const body = Buffer.from(json);
  const ends = [...cuts, body.length];
  for (const [index, end] of ends.entries()) {
    if (judge.write(body.subarray(ends[index - 1] ?? 0, end)) !== undefined) return 'refused';
  }
  return judge.end() === undefined ? judge.readContent() : 'refused';
}
