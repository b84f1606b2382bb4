import type { Profiles } from '@attache/contracts';
import type { OpeningKey, SealingKey } from '@attache/secrets/key-text';
import { findSealingKey } from '@attache/secrets/open';
import type { Check, Finding } from './finding.ts';

type Keys = {
  profiles: Profiles;
  /** The key of ingest. */
  sealingKey: SealingKey | undefined;
  /** The keys of the gateway, if its settings are here too. */
  secretKeys: readonly OpeningKey[];
};

/** Checks whether stored secrets of tenants can be opened again, as far as the settings of this process show. */
export function checkOfSecretKeys(keys: Keys): Check {
  return { name: 'secret keys', run: () => judgeKeys(keys) };
}

async function judgeKeys({ profiles, sealingKey, secretKeys }: Keys): Promise<Omit<Finding, 'name'>> {
  if (sealingKey === undefined) return judgeWithout(profiles);
  const detail = `secrets are sealed to the key ${sealingKey.kid}`;
  if (secretKeys.length === 0) return { state: 'ok', detail: `${detail}; the gateway's keys are not set here` };
  const opening = secretKeys.find(({ kid }) => kid === sealingKey.kid);
  const isPair = opening && Buffer.from((await findSealingKey(opening)).bytes).equals(sealingKey.bytes);
  if (isPair) return { state: 'ok', detail };
  const fix = `Add the private half of the key ${sealingKey.kid} to ATTACHE_SECRET_KEYS, or set the public half of the first of them.`;
  return { state: 'failed', detail: 'what tenants save now cannot be opened', fix };
}

function judgeWithout(profiles: Profiles): Omit<Finding, 'name'> {
  const named = Object.entries(profiles).filter(([, { endpoint }]) => endpoint?.apiKey?.startsWith('tenant:'));
  if (named.length === 0) return { state: 'ok', detail: 'not set: tenants save no secrets' };
  return {
    state: 'failed',
    detail: `not set, and taken by ${named.map(([name]) => name).join(', ')}`,
    fix: 'Set ATTACHE_SECRET_PUBLIC_KEY for ingest and ATTACHE_SECRET_KEYS for the gateway: `attache secret generate-key` prints both.',
  };
}
