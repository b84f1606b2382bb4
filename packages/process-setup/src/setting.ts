import { parseOrigin } from '@attache/contracts';

/** A parsed value, or what is wrong with the text, as the end of a sentence that begins with the variable's name. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string };

/** One setting: how its variable is read, and what its documentation says. */
export type Setting<T> = {
  type: string;
  parse(text: string): Parsed<T>;
  /** Undefined: the setting is optional and has no value then. */
  defaultText: string | undefined;
  /** Read from `<NAME>_FILE` too; never printed. */
  isSecret: boolean;
  /** A start without it is refused. */
  isRequired: boolean;
  /** Other names of the same variable, read where the first is not set. */
  aliases: readonly string[];
  meaning: string;
};

type About = {
  default?: string;
  isSecret?: boolean;
  isRequired?: boolean;
  aliases?: readonly string[];
  meaning: string;
};

function describe<T>(type: string, about: About, parse: (text: string) => Parsed<T>): Setting<T> {
  const { default: defaultText, isSecret = false, isRequired = false, aliases = [], meaning } = about;
  return { type, parse, defaultText, isSecret, isRequired, aliases, meaning };
}

export function integer(about: About & { min: number; max: number }): Setting<number> {
  return describe(`whole number, ${about.min} to ${about.max}`, about, (text) => {
    const value = Number(text);
    const isInside = /^-?\d{1,15}$/.test(text) && value >= about.min && value <= about.max;
    return isInside
      ? { ok: true, value }
      : { ok: false, reason: `must be a whole number from ${about.min} to ${about.max}` };
  });
}

export function text(about: About & { pattern?: RegExp; example?: string }): Setting<string> {
  return describe('text', about, (value) =>
    about.pattern === undefined || about.pattern.test(value)
      ? { ok: true, value }
      : { ok: false, reason: `must look like ${about.example ?? about.pattern.source}` },
  );
}

export function oneOf<const V extends string>(values: readonly V[], about: About): Setting<V> {
  return describe(values.join(' | '), about, (value) => {
    const found = values.find((candidate) => candidate === value);
    return found === undefined
      ? { ok: false, reason: `must be one of ${values.join(', ')}` }
      : { ok: true, value: found };
  });
}

/** Origins of web pages, as browsers spell them. */
export function originList(about: About): Setting<string[]> {
  return describe('list of origins, separated by commas', about, (value) => {
    const given = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    const origins = given.flatMap((item) => parseOrigin(item) ?? []);
    return origins.length === given.length
      ? { ok: true, value: origins }
      : { ok: false, reason: 'must list origins like https://app.example.com, each without path and *' };
  });
}

/** A URL of one of the given schemes, e.g. `postgres`. It may hold a password, so an error about it never repeats it. */
export function urlOf(schemes: readonly string[], about: About): Setting<string> {
  const shape = schemes.map((scheme) => `${scheme}://…`).join(' or ');
  return describe(`URL (${shape})`, about, (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isFitting = url !== undefined && schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== '';
    return isFitting ? { ok: true, value } : { ok: false, reason: `must be a URL like ${shape}` };
  });
}

export function httpUrl(about: About): Setting<string> {
  return describe('http(s) URL', about, (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
      return { ok: false, reason: 'must be an http or https URL' };
    return { ok: true, value: value.replace(/\/+$/, '') };
  });
}
