import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';

const WITHIN_MS = 60_000;
const POLL_MS = 500;

/**
 * Waits until each of these profiles' programs was asked what it takes. Gateways do that behind their start, one program after the other, and
 * several gateways at once take all processors for it. Returns whether they were; after a minute it waits no longer.
 */
export async function awaitProbes(superuserUrl: string, profiles: readonly string[]): Promise<boolean> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  const until = performance.now() + WITHIN_MS;
  try {
    while (performance.now() < until) {
      const rows = await sql<{ profile: string }[]>`select distinct profile from profile_probe`;
      const asked = new Set(rows.map(({ profile }) => profile));
      if (profiles.every((profile) => asked.has(profile))) return true;
      await delay(POLL_MS);
    }
    return false;
  } finally {
    await sql.end();
  }
}
