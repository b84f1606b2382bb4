import type { Environment } from './native/build/server-source.ts';

/** The variables of this process: where servers are searched, built and cached. */
export function readEnvironment(): Environment {
  return process.env;
}
