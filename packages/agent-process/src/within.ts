/** Returns the result of `promise`, or `timeout` after `timeoutMs`. Leaves no timer behind. */
export async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | 'timeout'> {
  const { promise: expired, resolve } = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(resolve, timeoutMs, 'timeout');
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
