import { beforeEach } from 'vitest';
import { tailLogs } from './stack-logs.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The last lines that the stacks of a failed test have logged. */
    stackLog?: string[];
  }
}

const LOG_LINES = 12;

// A set-up file of the projects whose tests run stacks.
beforeEach(({ task, onTestFailed }) => {
  onTestFailed(() => {
    task.meta.stackLog = tailLogs(LOG_LINES);
  });
});
