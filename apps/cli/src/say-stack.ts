/** The stack that a command acts on, on standard error: what it prints for programs stays clean. */
export function sayStack(stack: { dataDir: string } | { databaseUrl: string }): void {
  process.stderr.write(`Stack: ${describeStack(stack)}\n`);
}

/** In words, without what is secret: a URL's login and password are left out. */
export function describeStack(stack: { dataDir: string } | { databaseUrl: string }): string {
  if ('dataDir' in stack) return `embedded, data folder ${stack.dataDir}`;
  const { host, pathname } = new URL(stack.databaseUrl);
  return `hosted, database ${host}${pathname}`;
}
