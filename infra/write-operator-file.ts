import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// What a command of the operator reads, and the doctor.
const isForOperator = (name: string): boolean => /^ATTACHE_(DATABASE|NATS|S3|SIGNING|SECRET|PUBLIC)_/.test(name);

const quote = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

/**
 * Writes the variables with which `attache` commands act on this stack, as lines for a shell, 0600: they hold passwords, which belong on
 * no command line. Returns the path.
 */
export async function writeOperatorFile(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const path = join(folder, 'operator.env');
  const named = Object.entries(environment).filter(([name]) => isForOperator(name));
  const lines = named.map(([name, value]) => `export ${name}=${quote(value)}`);
  await writeFile(`${path}.draft`, `${lines.join('\n')}\n`, { mode: 0o600 });
  await rename(`${path}.draft`, path);
  return path;
}
