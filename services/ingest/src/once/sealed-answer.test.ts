import { randomBytes } from 'node:crypto';
import type { SigningKeys } from '@attache/intake';
import { expect, it } from 'vitest';
import { openAnswer, sealAnswer } from './sealed-answer.ts';

const keys: SigningKeys = [{ kid: 'k1', secret: randomBytes(32) }];
const answer = { token: 'ats_secret', text: 'what a person wrote' };

it('keeps an answer so that only its own key reads it [DL-44]', () => {
  const sealed = sealAnswer(keys, answer);
  expect(openAnswer(keys, sealed)).toEqual(answer);
  expect(sealed).not.toContain('secret');
  expect(Buffer.from(sealed.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('person');
  expect(() => openAnswer([{ kid: 'k1', secret: randomBytes(32) }], sealed)).toThrow();
});

it('says what to do when the key was retired', () => {
  expect(() => openAnswer([{ kid: 'k2', secret: randomBytes(32) }], sealAnswer(keys, answer))).toThrow(
    /new Idempotency-Key/,
  );
});
