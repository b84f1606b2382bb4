import type { ApiError } from './read-error.ts';
import { readPath } from './read-path.ts';
import type { RefusalApi } from './refusal-meaning.ts';

/** A refusal that is about no content, although its status may say so. `setting`: a field of the request besides its messages. */
export type Trouble = 'key' | 'quota' | 'setting';

/** The codes, types and reasons of an API's error that say it. */
const troubles: Readonly<Record<string, Trouble>> = {
  invalid_api_key: 'key',
  authentication_error: 'key',
  API_KEY_INVALID: 'key',
  API_KEY_SERVICE_BLOCKED: 'key',
  insufficient_quota: 'quota',
  billing_error: 'quota',
  billing_hard_limit_reached: 'quota',
  billing_not_active: 'quota',
  BILLING_DISABLED: 'quota',
};

const LIST = /^(?:messages|input|contents)\b/;

/** The trouble that the fields of an error name; undefined if it is about the content, or nothing says what it is about. */
export function readTrouble(api: RefusalApi, { code, type, reason, named }: ApiError): Trouble | undefined {
  const found = troubles[code] ?? troubles[reason] ?? troubles[type];
  if (found !== undefined) return found;
  return named !== '' && !LIST.test(named) && readPath(api, named) === undefined ? 'setting' : undefined;
}
