/** The exit codes of commands, for programs that call them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  blocked: 5,
  dependencyDown: 6,
  interrupted: 130,
} as const;
