/** Throws with both values, unless they are the same as JSON. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, got ${found}`);
}

export function expectTrue(condition: boolean, what: string): void {
  if (!condition) throw new Error(`${what}: it is not so`);
}

/** The error with which a promise rejects. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to reject');
}

const WITHIN_MS = 120_000;
const LOOK_MS = 20;

/** Waits until `find` returns something, and returns that. */
export async function waitFor<T>(
  what: string | (() => string),
  find: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (let waitedMs = 0; waitedMs < WITHIN_MS; waitedMs += LOOK_MS) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`${typeof what === 'string' ? what : what()} did not happen within ${WITHIN_MS} ms`);
}
