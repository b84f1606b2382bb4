import type { Client } from '@attache/client';
import { createContext, useContext } from 'react';
import { createWords, type Words } from '../words/words.ts';

/** The client and the language that `AttacheProvider` gives to everything below it. */
export type Provided = { client: Client | undefined; words: Words };

export const AttacheContext = createContext<Provided>({ client: undefined, words: createWords() });

/** The texts and formats of the language around. */
export const useWords = (): Words => useContext(AttacheContext).words;
