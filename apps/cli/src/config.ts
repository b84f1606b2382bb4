/** The folder in which a person called the command: npm runs scripts in the package's own. */
export function invokedFrom(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

/** Whether the environment describes the hosted stack. */
export function hasHostedSettings(): boolean {
  const { ATTACHE_DATABASE_URL, DATABASE_URL, ATTACHE_DATABASE_URL_FILE } = process.env;
  return Boolean(ATTACHE_DATABASE_URL ?? DATABASE_URL ?? ATTACHE_DATABASE_URL_FILE);
}
