// Neither a database nor UTF-8 text may hold NUL, or surrogates without their other half.
const UNSAFE_ESCAPE = /\\u0000|\\u[dD][89a-fA-F]/;

/** The JSON value of a line; `blank` where the line is empty, `garbage` where it is no JSON object. Unsafe characters are replaced. */
export function parseJsonObject(line: Buffer): Readonly<Record<string, unknown>> | 'blank' | 'garbage' {
  const text = line.toString('utf8').trim();
  if (text === '') return 'blank';
  try {
    const parsed: unknown = JSON.parse(text);
    const value = UNSAFE_ESCAPE.test(text) ? cleanStrings(parsed) : parsed;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'garbage';
    return value as Readonly<Record<string, unknown>>;
  } catch {
    return 'garbage';
  }
}

function cleanStrings(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(cleanStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [cleanStrings(key), cleanStrings(child)]));
}
