const SAY_AGAIN_MS = 60_000;

/** Whether a line about something may be logged now: at most once a minute for each name, as thousands of requests may meet the same. */
export function createSeldom(): (name: string) => boolean {
  const saidAt = new Map<string, number>();
  return (name) => {
    const now = performance.now();
    for (const [said, at] of saidAt) if (now - at >= SAY_AGAIN_MS) saidAt.delete(said);
    if (saidAt.has(name)) return false;
    saidAt.set(name, now);
    return true;
  };
}
