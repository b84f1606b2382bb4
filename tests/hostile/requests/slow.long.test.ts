import { describeSlowSenders } from './slow-senders.contract.ts';

// The documentation promises half a minute.
describeSlowSenders({ limits: undefined, withinMs: 34_000 });
