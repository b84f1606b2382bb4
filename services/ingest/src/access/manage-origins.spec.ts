import { listAudit } from '@attache/database';
import { expect, it } from 'vitest';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { readOrigins, saveOrigins } from './manage-origins.ts';

it('keeps the last list of a tenant, for that tenant alone, with an entry that says how many', async () => {
  const [{ deps, caller, tenantId }, other] = [await openFixture(), await openFixture()];
  expect(await readOrigins(deps, caller)).toEqual({ origins: [] });
  await saveOrigins(deps, caller, ['https://a.example', 'https://b.example']);
  const previous = await saveOrigins(deps, caller, ['https://b.example']);
  expect(previous.toSorted()).toEqual(['https://a.example', 'https://b.example']);
  expect(await readOrigins(deps, caller)).toEqual({ origins: ['https://b.example'] });
  expect(await readOrigins(deps, other.caller)).toEqual({ origins: [] });
  await saveOrigins(deps, caller, []);
  expect(await readOrigins(deps, caller)).toEqual({ origins: [] });
  const audit = await deps.db.readAsTenant(tenantId, (tx) => listAudit(tx, { limit: 9 }));
  expect(audit.map(({ action, actor, data }) => ({ action, actor, data }))).toEqual(
    [0, 1, 2].map((origins) => ({ action: 'origins.saved', actor: caller.actor, data: { origins } })),
  );
});
