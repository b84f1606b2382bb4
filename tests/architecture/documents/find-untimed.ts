/** Test files that existed before, too, but have no kept time. */
export function findUntimed(given: {
  files: readonly string[];
  before: readonly string[];
  times: { files: Readonly<Record<string, Readonly<Record<string, number>>>> };
}): string[] {
  const timed = new Set(Object.values(given.times.files).flatMap(Object.keys));
  const before = new Set(given.before);
  return given.files.filter((file) => before.has(file) && !timed.has(file));
}
