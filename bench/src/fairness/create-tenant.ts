import { runCommand } from '@attache/test-harness';

/** Makes a tenant as the operator does; answers its first key. */
export async function createTenant(name: string, environment: Record<string, string>): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(['tenant', 'create', name, '--json'], environment);
  if (exitCode !== 0) throw new Error(`The tenant ${name} was not made: ${stderr}`);
  return JSON.parse(stdout).secret;
}
