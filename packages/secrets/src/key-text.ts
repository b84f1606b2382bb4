/** One half of a pair. `bytes`: 32, of X25519. */
export type KeyHalf = { readonly kid: string; readonly bytes: Uint8Array };

/** The key to which secrets are sealed. It opens none. */
export type SealingKey = KeyHalf & { readonly half: 'public' };

/** The key that opens secrets. Never logged. */
export type OpeningKey = KeyHalf & { readonly half: 'private' };

const HALF = '[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{43}';

/** How one half is written: `kid:base64url`. */
export const KEY_PATTERN = new RegExp(`^${HALF}$`);

/** Several, the newest first. */
export const KEYS_PATTERN = new RegExp(`^${HALF}(,${HALF})*$`);

/** Undefined if the text is no such key. */
export const parseSealingKey = (text: string): SealingKey | undefined => parseHalf('public', text);

/** The keys of `kid:base64url,…` in their order; undefined where one is none, or two have the same id. */
export function parseOpeningKeys(text: string): readonly OpeningKey[] | undefined {
  const keys = text.split(',').flatMap((entry) => parseHalf('private', entry) ?? []);
  const ids = new Set(keys.map(({ kid }) => kid));
  return ids.size === text.split(',').length ? keys : undefined;
}

function parseHalf<H extends 'public' | 'private'>(half: H, text: string): (KeyHalf & { half: H }) | undefined {
  if (!KEY_PATTERN.test(text)) return undefined;
  const colon = text.indexOf(':');
  return { half, kid: text.slice(0, colon), bytes: Buffer.from(text.slice(colon + 1), 'base64url') };
}
