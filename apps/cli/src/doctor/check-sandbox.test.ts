import { judgeSandbox } from '@attache/programs/settle-sandbox';
import { expect, it } from 'vitest';
import { checkOfSandbox } from './check-sandbox.ts';

const fails = { status: 'unavailable', cause: 'masked-proc', remedy: 'Unmask it.', said: 'bwrap: no\nmore' } as const;

it('says whether sandboxes work here [BX-22]', async () => {
  const works = { status: 'works', program: '/usr/bin/bwrap' } as const;
  const check = checkOfSandbox(works, judgeSandbox({ need: 'where-it-works' }, works));
  expect(await check.run()).toEqual({ state: 'ok', detail: 'agents run in one, by /usr/bin/bwrap' });
});

it('is a warning where agents run without, and a failure where none would start; both say the cause and what to do [BX-22]', async () => {
  const run = (pinnedTenant?: string) =>
    checkOfSandbox(fails, judgeSandbox({ need: 'required', pinnedTenant }, fails)).run();
  const expected = { detail: 'none works here, masked-proc: bwrap: no', fix: expect.stringContaining('Unmask it.') };
  expect(await run('acme')).toEqual({ state: 'warning', ...expected });
  expect(await run()).toEqual({ state: 'failed', ...expected });
});
