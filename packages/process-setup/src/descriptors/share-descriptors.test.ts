import { expect, it } from 'vitest';
import { readDescriptorLimit } from './read-descriptor-limit.ts';
import { shareDescriptors } from './share-descriptors.ts';

it.each([256, 1_024, 4_096, 20_000, 1_048_576, Number.POSITIVE_INFINITY])(
  'of %i descriptors of a process a quarter is left when all its callers have all that they may [BX-32]',
  (limit) => {
    const { connections, uploads, agentConnections } = shareDescriptors(limit);
    for (const count of [connections, uploads, agentConnections]) expect(count).toBeGreaterThan(30);
    expect(connections + uploads + 2 * agentConnections).toBeLessThanOrEqual(limit * 0.75);
  },
);

it('the limit of this process is read', () => {
  expect(readDescriptorLimit()).toBeGreaterThan(200);
});
