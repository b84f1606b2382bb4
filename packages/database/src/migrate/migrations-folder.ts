import { fileURLToPath } from 'node:url';

/** The SQL of all migrations, the same for PGlite and Postgres. */
export const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));
