/** A step and its name, for whoever has to find out which one does not end. */
export type Step = readonly [name: string, run: () => Promise<unknown> | undefined];

/** Runs one step after the other. Rejects with what `onOverdue` makes of the step that runs when the time is over. */
export async function runInTime(
  steps: readonly Step[],
  timeoutMs: number,
  onOverdue: (step: string) => Error,
): Promise<void> {
  let present = '';
  const run = async () => {
    for (const [name, step] of steps) {
      present = name;
      await step();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onOverdue(present)), timeoutMs);
  });
  try {
    await Promise.race([run(), overdue]);
  } finally {
    clearTimeout(timer);
  }
}
