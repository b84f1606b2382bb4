import { readFileSync } from 'node:fs';
import { Fault } from '@attache/contracts';
import type { Setting } from './setting.ts';

export type SettingTable = Record<string, Setting<unknown>>;

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** Values by variable name; undefined where an optional setting is not set. */
export type SettingValues<T extends SettingTable> = { [K in keyof T]: ValueOf<T[K]> | undefined };

export type Environment = Readonly<Record<string, string | undefined>>;

type Read = { text: string | undefined; fault: string | undefined };

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

function readText(first: string, setting: Setting<unknown>, environment: Environment): Read {
  const names = [first, ...setting.aliases];
  const name = names.find((known) => isSet(environment[known]) || isSet(environment[`${known}_FILE`])) ?? first;
  const direct = environment[name];
  const path = setting.isSecret ? environment[`${name}_FILE`] : undefined;
  if (direct !== undefined && path !== undefined)
    return { text: undefined, fault: `set ${name} or ${name}_FILE, not both` };
  if (path === undefined) return { text: direct === '' ? undefined : direct, fault: undefined };
  try {
    return { text: readFileSync(path, 'utf8').trimEnd(), fault: undefined };
  } catch {
    return { text: undefined, fault: `${name}_FILE names a file that cannot be read` };
  }
}

/** Reads every setting of a table. All faults are named at once, each with its variable (AT-10). */
export function readSettings<T extends SettingTable>(table: T, environment: Environment): SettingValues<T> {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const read = readText(name, setting, environment);
    const text = read.text ?? setting.defaultText;
    const parsed = text === undefined ? undefined : setting.parse(text);
    if (read.fault !== undefined) faults.push(read.fault);
    else if (text === undefined && setting.isRequired) faults.push(`${name} is not set: ${setting.meaning}`);
    else if (parsed?.ok === false) faults.push(`${name} ${parsed.reason}`);
    values[name] = parsed?.ok ? parsed.value : undefined;
  }
  if (faults.length > 0) {
    throw new Fault(
      'CONFIGURATION_INVALID',
      `The settings are faulty:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
  }
  return values as SettingValues<T>;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[right.length] ?? 0;
}

/** One warning for each `ATTACHE_*` name that no setting has, with the nearest known one. */
export function warnOfUnknown(known: readonly string[], environment: Environment): string[] {
  const names = new Set(known.flatMap((name) => [name, `${name}_FILE`]));
  return Object.keys(environment)
    .filter((name) => name.startsWith('ATTACHE_') && !names.has(name))
    .map((name) => {
      const nearest = [...known].sort((a, b) => editDistance(name, a) - editDistance(name, b))[0];
      return `${name} is not a setting and has no effect. Did you mean ${nearest}?`;
    });
}
