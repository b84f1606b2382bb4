import { shortLimits } from '@attache/test-harness';
import { describeSlowSenders } from './slow-senders.contract.ts';

const { headersMs, slowBodyMs, refusedBodyMs } = shortLimits;

// Less than the real limits, which slow.long.test.ts meets.
describeSlowSenders({ limits: { headersMs, slowBodyMs, refusedBodyMs }, withinMs: 25_000 });
