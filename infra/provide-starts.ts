import { provideStarts } from '@attache/test-servers';
import { formatNatsConfig } from './native/servers/nats-config.ts';
import { startNats } from './native/servers/start-nats.ts';
import { startPostgres } from './native/servers/start-postgres.ts';

// Vitest's set-up of each file that gets servers of its own: a function is no data that a global set-up could provide.
provideStarts({
  postgres: startPostgres,
  nats: ({ program, config, users }) => {
    const parts = [config, users && formatNatsConfig({ users })].filter((part) => part !== undefined);
    return startNats({ program, config: parts.join('\n') });
  },
});
