import { profileSchema } from '@attache/contracts';
import { generateKey } from '@attache/secrets/generate-key';
import { parseOpeningKeys, parseSealingKey } from '@attache/secrets/key-text';
import { expect, it } from 'vitest';
import { checkOfSecretKeys } from './check-secret-keys.ts';

const [one, two] = [generateKey(), generateKey()];
const sealingKey = parseSealingKey(one.publicKey);
const endpoint = { api: 'anthropic', baseUrl: 'http://127.0.0.1:1', apiKey: 'tenant:key' };
const profiles = { keyed: profileSchema.parse({ runtime: 'acp', command: ['agent'], endpoint }) };
const check = (keys: Partial<Parameters<typeof checkOfSecretKeys>[0]>) =>
  checkOfSecretKeys({ profiles, sealingKey: undefined, secretKeys: [], ...keys }).run();
const keysOf = (...texts: string[]) => parseOpeningKeys(texts.join(',')) ?? [];

it('is well where what is sealed can be opened, as far as is known here', async () => {
  for (const secretKeys of [keysOf(one.privateKey), keysOf(two.privateKey, one.privateKey), []])
    expect(await check({ sealingKey, secretKeys })).toMatchObject({ state: 'ok' });
  expect(await check({ profiles: {} })).toMatchObject({ state: 'ok' });
});

it('fails where no key opens what is sealed, be it of the same id', async () => {
  const impostor = `${one.privateKey.split(':')[0]}:${two.privateKey.split(':')[1]}`;
  for (const secretKeys of [keysOf(two.privateKey), keysOf(impostor)])
    expect(await check({ sealingKey, secretKeys })).toMatchObject({ state: 'failed' });
});

it('fails where a profile takes what nobody can save', async () => {
  expect(await check({})).toMatchObject({ state: 'failed', detail: expect.stringContaining('keyed') });
});
