/** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const listeners = signals.map((signal) => {
      const listener = () => {
        for (const [index, other] of signals.entries()) {
          const registered = listeners[index];
          if (registered) process.off(other, registered);
        }
        resolve(signal);
      };
      process.on(signal, listener);
      return listener;
    });
  });
}
