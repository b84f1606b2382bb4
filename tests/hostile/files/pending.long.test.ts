import { itSaysPending } from './pending.contract.ts';

// As the documentation says.
itSaysPending({ limits: undefined, afterMs: 5_000 });
