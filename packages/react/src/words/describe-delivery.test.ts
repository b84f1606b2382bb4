import type { Failure } from '@attache/contracts';
import { expect, it } from 'vitest';
import { ar } from './ar.ts';
import { describeDelivery } from './describe-delivery.ts';
import { en } from './en.ts';
import { createWords } from './words.ts';
import { zh } from './zh.ts';

const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, '');

it.each([
  ['en', en, 'claude may not have got it'],
  ['zh', zh, 'claude 可能未收到'],
  ['ar', ar, 'ربما لم تصل إلى claude'],
])('a delivery whose outcome nobody knows is not said to have failed: %s', (_, strings, text) => {
  const failure = { code: 'delivery_outcome_unknown' } as Failure;
  expect(plain(describeDelivery({ status: 'failed', failure }, 'claude', createWords(strings)))).toBe(text);
});
