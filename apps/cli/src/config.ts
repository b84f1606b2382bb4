/** The folder in which a person called the command: npm runs scripts in the package's own. */
export function invokedFrom(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.INIT_CWD ?? process.cwd();
}

/** Whether the environment describes the hosted stack. */
export function hasHostedSettings(environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(environment.ATTACHE_DATABASE_URL ?? environment.DATABASE_URL ?? environment.ATTACHE_DATABASE_URL_FILE);
}
