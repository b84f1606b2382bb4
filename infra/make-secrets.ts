import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { composeSecrets } from './compose-secrets.ts';

// `node scripts/run.mjs infra/make-secrets.ts [file]`: writes the secrets that docker-compose.yml asks for, readable by this user alone.

const file = process.argv[2] ?? fileURLToPath(new URL('../.env', import.meta.url));
const lines = Object.entries(composeSecrets()).map(([name, value]) => `${name}=${value}\n`);
try {
  writeFileSync(file, lines.join(''), { flag: 'wx', mode: 0o600 });
  process.stdout.write(`${file} holds ${lines.length} settings; ATTACHE_INIT_API_KEY is the first tenant's key.\n`);
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === 'EEXIST' ? 'is there already, and its secrets may be in use' : `cannot be written (${code})`;
  process.stderr.write(`${file} ${why}. Nothing was changed.\n`);
  process.exitCode = 1;
}
