import type { Database } from '@attache/database';
import { expect, it } from 'vitest';
import { keepStatistics } from './keep-statistics.ts';

it('keeps looking after failures, and warns once until one look succeeds', async () => {
  const answers = [new Error('one'), new Error('two'), null, new Error('three'), null];
  const stopping = new AbortController();
  const call = async () => {
    const answer = answers.shift();
    if (answers.length === 0) stopping.abort();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const warned: unknown[] = [];
  const log = { warn: ({ err }: { err: Error }) => void warned.push(err.message) };
  const db = { call } as unknown as Pick<Database, 'call'>;
  await keepStatistics({ db, log: log as never, periodMs: 1 }, stopping.signal);
  expect(warned).toEqual(['one', 'three']);
});
