import { natsPermissionsOf } from '@attache/event-bus/jetstream';
import { formatNatsConfig } from '../native/servers/nats-config.ts';

/** The variable that holds the password of each service's NATS user. */
export const passwordVariables = {
  ingest: 'NATS_INGEST_PASSWORD',
  projector: 'NATS_PROJECTOR_PASSWORD',
  'runner-gateway': 'NATS_GATEWAY_PASSWORD',
} as const;

const server = `# The NATS server of docker-compose.yml. Written by infra/nats/write-config.ts: change that, or the permissions in packages/event-bus.
# Each service has a user of its own, with only its subjects; their passwords are variables of the server's environment.

server_name: attache
listen: 0.0.0.0:4222
# For the health check, which runs beside it.
http: 127.0.0.1:8222

jetstream {
  store_dir: /data
  # Acknowledged means on disk.
  sync_interval: always
  max_memory_store: 64MB
  max_file_store: 4GB
}

`;

/** The text of nats.conf. */
export function composeNatsConfig(): string {
  const users = Object.entries(passwordVariables).map(([service, variable]) => ({
    service,
    password: `$${variable}`,
    permissions: natsPermissionsOf(service as keyof typeof passwordVariables),
  }));
  // NATS reads no variable inside quotes.
  return server + formatNatsConfig({ users }).replaceAll(/"(\$[A-Z_]+)"/g, '$1');
}
