import { Fault, isFault } from '@attache/contracts';

type Read<T extends readonly (() => unknown)[]> = { [K in keyof T]: ReturnType<T[K]> };

/** Reads parts of a configuration. Parts that are refused with CONFIGURATION_INVALID are refused together, so that a start names all faults at once. */
export function readTogether<T extends readonly (() => unknown)[]>(...parts: T): Read<T> {
  const refused: string[] = [];
  const values = parts.map((part) => {
    try {
      return part();
    } catch (error) {
      if (!isFault(error, 'CONFIGURATION_INVALID')) throw error;
      refused.push(error.message);
      return undefined;
    }
  });
  if (refused.length > 0) throw new Fault('CONFIGURATION_INVALID', refused.join('\n'));
  return values as Read<T>;
}
