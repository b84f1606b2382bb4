import { generateKey } from '@attache/secrets/generate-key';
import { expect, it } from 'vitest';
import { secretKeysSetting, secretPublicKeySetting } from './secret-settings.ts';

const half = 'A'.repeat(43);

it('are read as a pair is printed: several private halves in their order, one public half', () => {
  const [one, two] = [generateKey(), generateKey()];
  const read = secretKeysSetting.parse(`${one.privateKey},${two.privateKey}`);
  expect(read.ok && read.value.map(({ kid }) => kid)).toEqual(
    [one, two].map(({ privateKey }) => privateKey.split(':')[0]),
  );
  expect(secretPublicKeySetting.parse(one.publicKey)).toMatchObject({ ok: true });
});

it.each(['k1', `k1:${half}A`, `k1:${half};k2:${half}`, `k1:${half},`, `k1:${half},k1:${half}`])(
  'are refused without a word of what was given: %s [AT-10]',
  (text) => {
    const read = secretKeysSetting.parse(text);
    expect(read).toMatchObject({ ok: false });
    expect(JSON.stringify(read)).not.toContain(half);
  },
);

it('the private halves alone are secret', () => {
  expect([secretKeysSetting.isSecret, secretPublicKeySetting.isSecret]).toEqual([true, false]);
});
