import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { composeSecrets, findMissingSecrets } from './compose-secrets.ts';

// `node scripts/run.mjs infra/make-secrets.ts [file]`: writes the secrets that docker-compose.yml asks for, readable by this user alone. To a file that is
// there it adds the passwords and keys of servers that it lacks, and changes nothing else.

const file = process.argv[2] ?? fileURLToPath(new URL('../.env', import.meta.url));
const formatLines = (secrets: Record<string, string>) =>
  Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);

try {
  const lines = formatLines(composeSecrets());
  writeFileSync(file, lines.join(''), { flag: 'wx', mode: 0o600 });
  process.stdout.write(`${file} holds ${lines.length} settings; ATTACHE_INIT_API_KEY is the first tenant's key.\n`);
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') addMissing();
  else {
    process.stderr.write(`${file} cannot be written (${code}). Nothing was changed.\n`);
    process.exitCode = 1;
  }
}

function addMissing(): void {
  const text = readFileSync(file, 'utf8');
  const missing = findMissingSecrets(text);
  const names = Object.keys(missing);
  const said = 'is there already, and its secrets may be in use';
  if (names.length === 0) {
    process.stderr.write(`${file} ${said}. It lacks none, and nothing was changed.\n`);
    process.exitCode = 1;
    return;
  }
  appendFileSync(file, [text.endsWith('\n') || text === '' ? '' : '\n', ...formatLines(missing)].join(''));
  process.stdout.write(`${file} ${said}. Added: ${names.join(', ')}.\n`);
}
