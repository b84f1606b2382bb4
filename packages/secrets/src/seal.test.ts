import { describe, expect, it } from 'vitest';
import { generateKey } from './generate-key.ts';
import { type OpeningKey, parseOpeningKeys, parseSealingKey, type SealingKey } from './key-text.ts';
import { findSealingKey, openSecret } from './open.ts';
import { sealSecret } from './seal.ts';

const place = { tenantId: '0198c0de-0000-7000-8000-000000000001', name: 'anthropic', version: 3 };

function makeKeys(): { sealing: SealingKey; opening: OpeningKey } {
  const { privateKey, publicKey } = generateKey();
  const [sealing, opening] = [parseSealingKey(publicKey), parseOpeningKeys(privateKey)?.[0]];
  if (!sealing || !opening) throw new Error('a pair is not spelled as it is read');
  return { sealing, opening };
}

const keys = makeKeys();

describe('a sealed secret', () => {
  it.each(['k', 'sk-ant-1234', 'schlüssel 鍵', 'x'.repeat(8192)])(
    'is opened by the other half: %.20s',
    async (value) => {
      const sealed = await sealSecret(keys.sealing, place, value);
      expect(JSON.stringify(sealed)).not.toContain(value.length > 1 ? value : `"${value}"`);
      expect(await openSecret([makeKeys().opening, keys.opening], place, sealed)).toEqual({ status: 'opened', value });
    },
  );

  it('is another one each time', async () => {
    const [one, two] = [await sealSecret(keys.sealing, place, 'v'), await sealSecret(keys.sealing, place, 'v')];
    expect([one.enc === two.enc, one.ciphertext === two.ciphertext]).toEqual([false, false]);
  });

  it.each([
    ['tenant', { tenantId: '0198c0de-0000-7000-8000-000000000002' }],
    ['name', { name: 'openai' }],
    ['version', { version: 4 }],
  ])('opens for no other %s', async (_, other) => {
    const sealed = await sealSecret(keys.sealing, place, 'sk-1');
    expect(await openSecret([keys.opening], { ...place, ...other }, sealed)).toEqual({ status: 'damaged' });
  });

  it.each([
    ['its text', (sealed: string) => ({ ciphertext: `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}` })],
    ['its end', (sealed: string) => ({ ciphertext: sealed.slice(0, -4) })],
    ['all of its text', () => ({ ciphertext: '' })],
    ['its encapsulated key', () => ({ enc: Buffer.alloc(32, 9).toString('base64url') })],
    ['the length of that', () => ({ enc: 'AAAA' })],
    ['that for a point of no order', () => ({ enc: Buffer.alloc(32).toString('base64url') })],
  ])('does not open where %s was changed', async (_, change) => {
    const sealed = await sealSecret(keys.sealing, place, 'sk-1');
    const changed = { ...sealed, ...change(sealed.ciphertext) };
    expect(await openSecret([keys.opening], place, changed)).toEqual({ status: 'damaged' });
  });

  it('names the key that is missing; another key of its id opens nothing', async () => {
    const sealed = await sealSecret(keys.sealing, place, 'sk-1');
    const { opening } = makeKeys();
    expect(await openSecret([opening], place, sealed)).toEqual({ status: 'key-missing', kid: keys.sealing.kid });
    const impostor = { ...opening, kid: keys.sealing.kid };
    expect(await openSecret([impostor], place, sealed)).toEqual({ status: 'damaged' });
  });
});

describe('a key', () => {
  it('has one public half, which is found from the private one', async () => {
    const found = await findSealingKey(keys.opening);
    expect({ ...found, bytes: Buffer.from(found.bytes) }).toEqual(keys.sealing);
  });

  it('is read among others, in their order', () => {
    const texts = [generateKey().privateKey, generateKey().privateKey];
    expect(parseOpeningKeys(texts.join(','))?.map(({ kid }) => kid)).toEqual(texts.map((text) => text.split(':')[0]));
  });

  it.each([
    '',
    'k1',
    'k1:',
    `k1:${'a'.repeat(42)}`,
    `k1:${'a'.repeat(44)}`,
    `k 1:${'a'.repeat(43)}`,
    `:${'a'.repeat(43)}`,
  ])('is not %j', (text) => {
    expect([parseSealingKey(text), parseOpeningKeys(text)]).toEqual([undefined, undefined]);
  });

  it('has an id of its own', () => {
    const half = 'a'.repeat(43);
    expect(parseOpeningKeys(`k1:${half},k1:${half}`)).toBeUndefined();
    expect(parseOpeningKeys(`k1:${half},,k2:${half}`)).toBeUndefined();
  });
});
