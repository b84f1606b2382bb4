import { type Setting, text } from '@attache/process-setup';
import {
  KEY_PATTERN,
  KEYS_PATTERN,
  type OpeningKey,
  parseOpeningKeys,
  parseSealingKey,
  type SealingKey,
} from '@attache/secrets/key-text';

/** The private halves, which open the secrets of tenants. */
export const secretKeysSetting = keyOf(
  text({
    isSecret: true,
    pattern: KEYS_PATTERN,
    example:
      '`kid:base64url,…` with the 32 bytes of an X25519 key each, and each id once, as `attache secret generate-key` makes one',
    meaning:
      "Private keys that open tenants' secrets, the newest first. Without them none is opened, and no profile may name `tenant:`.",
  }),
  parseOpeningKeys,
) satisfies Setting<readonly OpeningKey[]>;

/** The public half of the newest one, to which they are sealed. */
export const secretPublicKeySetting = keyOf(
  text({
    pattern: KEY_PATTERN,
    example: '`kid:base64url`, as `attache secret generate-key` makes one',
    meaning:
      "Public half of the first of the gateway's `ATTACHE_SECRET_KEYS`, to which tenants' secrets are sealed. Without it none can be saved.",
  }),
  parseSealingKey,
) satisfies Setting<SealingKey>;

/** The same setting, read as what its text says. */
function keyOf<T>(setting: Setting<string>, parseKey: (text: string) => T | undefined): Setting<T> {
  const parse: Setting<T>['parse'] = (given) => {
    const checked = setting.parse(given);
    if (!checked.ok) return checked;
    const value = parseKey(given);
    return value === undefined ? { ok: false, reason: 'names one key id twice' } : { ok: true, value };
  };
  return { ...setting, parse };
}
