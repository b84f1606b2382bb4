import { Fault } from '@attache/contracts';
import { expect, it } from 'vitest';
import { describeUnexpected } from './describe-unexpected.ts';

const full = Object.assign(new Error("ENOSPC: no space left on device, mkdir '/data/agents/x'"), { code: 'ENOSPC' });

it.each([
  ['a full disk', full, 'ENOSPC', /disk is full/],
  ['a full disk behind another error', new Error('copy', { cause: full }), 'ENOSPC', /disk is full/],
  ['a full disk behind a fault', new Fault('STORAGE_UNAVAILABLE', 'no', { cause: full }), 'ENOSPC', /disk is full/],
  ['another error of the system', Object.assign(new Error('no'), { code: 'EACCES' }), 'EACCES', /on our side/],
  ['a fault', new Fault('INTERNAL', 'secret words'), 'INTERNAL', /on our side/],
  ['an error of ours', new TypeError('x of undefined'), 'TypeError', /on our side/],
  ['no error at all', 'secret words', 'unknown', /on our side/],
] as const)('%s is named by its code, and its text stays inside [DL-38 DL-41]', (_, error, diagnostic, userMessage) => {
  expect(describeUnexpected(error)).toMatchObject({
    ...{ code: 'delivery_runtime_transport_failed', retryable: true, diagnostic },
    userMessage: expect.stringMatching(userMessage),
  });
});
