import { Fault, type OperatorInput, type OperatorOutput } from '@attache/contracts';
import { type Database, listSecretsOfOtherKeys, listTenantIds, rewrapSecret, type SecretRow } from '@attache/database';
import type { OpeningKey, SealingKey } from '@attache/secrets/key-text';
import { findSealingKey, openSecret } from '@attache/secrets/open';
import { sealSecret } from '@attache/secrets/seal';
import type { OperatorDeps } from './operator-deps.ts';

const TENANTS = 100;
const SECRETS = 50;

type Rewrapping = { db: Database; keys: readonly OpeningKey[]; newest: SealingKey };
type Outcome = 'rewrapped' | 'changed' | 'damaged' | { missing: string };

/**
 * Seals every secret to the newest key that is not sealed to it yet. Each is a step of its own, and what is done is not done
 * again: after an interruption the next call does the rest.
 */
export async function rewrapSecrets(
  { db, secretKeys: keys = [] }: OperatorDeps,
  _: OperatorInput<'secret.rewrap'>,
): Promise<OperatorOutput<'secret.rewrap'>> {
  const [key] = keys;
  if (key === undefined) throw noKeys();
  const rewrapping: Rewrapping = { db, keys, newest: await findSealingKey(key) };
  const counts = { kid: key.kid, rewrappedCount: 0, changedCount: 0, missingKeys: {}, damagedCount: 0 };
  for await (const row of readOfOtherKeys(db, key.kid)) addOutcome(counts, await rewrap(rewrapping, row));
  return counts;
}

async function* readOfOtherKeys(db: Database, kid: string): AsyncGenerator<SecretRow> {
  for await (const tenantId of readTenantIds(db)) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const page = { kid, after, limit: SECRETS };
      const rows: SecretRow[] = await db.readAsTenant(tenantId, (tx) => listSecretsOfOtherKeys(tx, page));
      yield* rows;
      after = rows.at(-1)?.name;
    }
  }
}

async function* readTenantIds(db: Database): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const ids: string[] = await listTenantIds(db, after, TENANTS);
    yield* ids;
    after = ids.at(-1);
  } while (after !== undefined);
}

async function rewrap({ db, keys, newest }: Rewrapping, row: SecretRow): Promise<Outcome> {
  const opened = await openSecret(keys, row, row);
  if (opened.status === 'key-missing') return { missing: opened.kid };
  if (opened.status === 'damaged') return 'damaged';
  const sealed = await sealSecret(newest, row, opened.value);
  return (await db.asTenant(row.tenantId, (tx) => rewrapSecret(tx, row, sealed))) ? 'rewrapped' : 'changed';
}

function addOutcome(counts: OperatorOutput<'secret.rewrap'>, outcome: Outcome): void {
  if (typeof outcome === 'object') counts.missingKeys[outcome.missing] = (counts.missingKeys[outcome.missing] ?? 0) + 1;
  else counts[`${outcome}Count`] += 1;
}

const noKeys = (): Fault =>
  new Fault(
    'CONFIGURATION_INVALID',
    'There is no key to open secrets with. Set ATTACHE_SECRET_KEYS as the gateway has it, the newest key first.',
  );
