import { Fault } from '@attache/contracts';
import { expect, it } from 'vitest';
import { createOutageLog } from './outage-log.ts';

it('what is unavailable is logged with its cause, once for all requests that meet it', () => {
  const lines: unknown[] = [];
  const note = createOutageLog({ warn: (line: unknown, message?: unknown) => void lines.push([line, message]) });
  const full = new Fault('STORAGE_UNAVAILABLE', 'The blob store cannot be used (EMFILE).', {
    cause: new Error('EMFILE'),
  });
  for (let count = 0; count < 1_000; count += 1) note(full);
  note(new Fault('DATABASE_UNAVAILABLE', 'It does not answer.'));
  expect(lines).toEqual([
    [{ err: full, code: 'STORAGE_UNAVAILABLE' }, 'request.unavailable'],
    [expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' }), 'request.unavailable'],
  ]);
});
