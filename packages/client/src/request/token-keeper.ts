import { AttacheError } from '../errors/attache-error.ts';

/** Gives the bearer token. `isRefresh`: the last one was refused, and a new one is wanted. */
export type GetToken = (request: { isRefresh: boolean }) => string | Promise<string>;

/** Holds the token for all requests of a client. */
export type TokenKeeper = {
  /** The present token; undefined where there is none to send. */
  read(): Promise<string | undefined>;
  /** A token other than `refused`. Concurrent callers share one call of `getToken`. */
  replace(refused: string): Promise<string>;
};

export function createTokenKeeper(getToken: GetToken | undefined): TokenKeeper {
  let present: Promise<string> | undefined;
  const ask = (get: GetToken, isRefresh: boolean): Promise<string> => {
    const asked = askForToken(get, isRefresh);
    present = asked;
    // A failure is not kept: the next request asks again.
    asked.catch(() => {
      if (present === asked) present = undefined;
    });
    return asked;
  };
  return {
    async read() {
      return getToken && (present ?? ask(getToken, false));
    },
    async replace(refused) {
      if (!getToken) return refused;
      while (present !== undefined) {
        const asked = present;
        const known = await asked;
        // Another request may have asked for a new one while this one waited.
        if (asked === present) return known === refused ? ask(getToken, true) : known;
      }
      return ask(getToken, true);
    },
  };
}

async function askForToken(getToken: GetToken, isRefresh: boolean): Promise<string> {
  try {
    return await getToken({ isRefresh });
  } catch (cause) {
    const message = 'No token could be had: `getToken` failed. Look at `cause`.';
    throw new AttacheError('TOKEN_UNAVAILABLE', message, { retryable: true, cause });
  }
}
