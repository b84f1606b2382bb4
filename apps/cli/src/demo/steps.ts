import { styleText } from 'node:util';

/** Prints the steps of a demonstration with the time each took. Talk goes to stderr, results to stdout. */
export type Steps = {
  run<T>(title: string, work: () => Promise<T>, describe?: (result: T) => string): Promise<T>;
  show(heading: string, lines: readonly string[]): void;
};

const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout });

export function createSteps(): Steps {
  return {
    async run(title, work, describe) {
      const startedAt = performance.now();
      const result = await work();
      const took = `${Math.round(performance.now() - startedAt)} ms`.padStart(8);
      const said = describe?.(result) ?? '';
      process.stdout.write(
        `${paint('green', '✓')} ${paint('dim', took)}  ${title}${said === '' ? '' : `  ${paint('cyan', said)}`}\n`,
      );
      return result;
    },
    show(heading, lines) {
      process.stdout.write(`\n${paint('bold', heading)}\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
    },
  };
}
