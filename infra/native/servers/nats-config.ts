/** A user of the NATS server: the service that it is for, and the subjects that it may use. */
export type NatsUser = {
  service: string;
  password: string;
  permissions: { publish: readonly string[]; subscribe: readonly string[] };
};

/**
 * Configuration text of a NATS server that knows these users and nobody else. `isDurable` writes each acknowledged message to disk first, so
 * that it outlives the machine and not only the server.
 */
export function formatNatsConfig({
  users,
  isDurable = false,
}: {
  users: readonly NatsUser[];
  isDurable?: boolean;
}): string {
  return [
    ...(isDurable ? ['jetstream { sync_interval: always }'] : []),
    'authorization {',
    '  users = [',
    ...users.flatMap(formatUser),
    '  ]',
    '}',
    '',
  ].join('\n');
}

function formatUser({ service, password, permissions }: NatsUser): string[] {
  return [
    '    {',
    `      user: ${JSON.stringify(service)}`,
    `      password: ${JSON.stringify(password)}`,
    '      permissions {',
    `        publish { allow: ${JSON.stringify(permissions.publish)} }`,
    `        subscribe { allow: ${JSON.stringify(permissions.subscribe)} }`,
    '      }',
    '    }',
  ];
}
