import { readFile } from 'node:fs/promises';
import type { PublisherName } from '@attache/contracts';
import { expect, it } from 'vitest';
import { type NatsPermissions, natsPermissionsOf } from './permissions.ts';

/** The permissions of each service in the configuration of the release before. */
const before: Record<PublisherName, NatsPermissions> = JSON.parse(
  await readFile(new URL('./permissions-before.json', import.meta.url), 'utf8'),
);

it.each(Object.keys(before) as PublisherName[])(
  'the configuration lets a %s of the release before do all that it did: both run beside each other',
  (service) => {
    const present = natsPermissionsOf(service);
    const missing = (way: keyof NatsPermissions) => before[service][way].filter((one) => !present[way].includes(one));
    expect({ publish: missing('publish'), subscribe: missing('subscribe') }).toEqual({ publish: [], subscribe: [] });
  },
);
