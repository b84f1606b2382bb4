import type { StatementCalls } from '@attache/test-harness';
import type { Load } from './deliver-files.ts';
import type { ProcessorTimes } from './processor-time.ts';

/** The cost of one file from its upload until a follower has seen the agent's answer, the mean of many. */
export type Costs = {
  load: Pick<Load, 'name' | 'sizeBytes'>;
  steps: { step: string; tookMs: number }[];
  statements: StatementCalls[];
  writingTransactions: number;
  oneByOne: ProcessorTimes;
  inFlight: ProcessorTimes;
};
