import type { Client } from '@attache/client';
import { type ReactNode, useMemo } from 'react';
import type { Strings } from '../words/strings.ts';
import { createWords } from '../words/words.ts';
import { AttacheContext } from './context.ts';

export type AttacheProviderProps = {
  client?: Client;
  /** A catalogue, or texts in place of some of the English ones. Keep it outside the component. */
  strings?: Partial<Strings>;
  /** For sizes, plurals, lists and times, if it is another one than that of the catalogue, such as `en-GB`. */
  locale?: string;
  children: ReactNode;
};

/** Gives a client and a language to all hooks and parts below it. */
export function AttacheProvider({ client, strings, locale, children }: AttacheProviderProps) {
  const words = useMemo(() => createWords({ ...strings, ...(locale && { locale }) }), [strings, locale]);
  const provided = useMemo(() => ({ client, words }), [client, words]);
  return <AttacheContext.Provider value={provided}>{children}</AttacheContext.Provider>;
}
