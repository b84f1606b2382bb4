import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { endSession } from './end-session.ts';

it('ends a session once, however often it is asked', async () => {
  const { deps, caller, sessionId, readEvents, takePublished } = await openFixture();
  await endSession(deps, caller, sessionId);
  await endSession(deps, caller, sessionId);
  expect(takePublished()).toEqual(['session.ended']);
  expect((await readEvents()).map(({ kind }) => kind)).toEqual(['session.ended']);
});

it('knows no session that is not there', async () => {
  const { deps, caller } = await openFixture();
  await expect(endSession(deps, caller, randomUUID())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});
