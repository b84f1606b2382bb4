import { writeFileSync } from 'node:fs';
import { composeNatsConfig } from './compose-nats-config.ts';

// `node scripts/run.mjs infra/nats/write-config.ts`: writes nats.conf as a test asks for it.

writeFileSync(new URL('nats.conf', import.meta.url), composeNatsConfig());
