import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';

const WITHIN_MS = 60_000;
const POLL_MS = 500;

/**
 * Waits until each of these profiles' programs was asked what it takes. Gateways do that behind their start, one program after the other, and
 * several gateways at once take all processors for it. After a minute it waits no longer.
 */
export async function awaitProbes(superuserUrl: string, profiles: readonly string[]): Promise<void> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  const until = performance.now() + WITHIN_MS;
  try {
    while (performance.now() < until) {
      const rows = await sql<{ profile: string }[]>`select distinct profile from profile_probe`;
      const asked = new Set(rows.map(({ profile }) => profile));
      if (profiles.every((profile) => asked.has(profile))) return;
      await delay(POLL_MS);
    }
  } finally {
    await sql.end();
  }
}
