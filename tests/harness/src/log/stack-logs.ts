/** Reads all that a stack has logged so far. */
export type ReadLog = () => string;

const logs = new Map<string, ReadLog>();

/** Has the last lines of a log shown with every test that fails from now on. Returns how to end that. */
export function showLogOfFailures(name: string, read: ReadLog): () => void {
  logs.set(name, read);
  return () => {
    if (logs.get(name) === read) logs.delete(name);
  };
}

/** The last lines of the logs of all stacks that run, each with the name of its stack. */
export function tailLogs(lineCount: number): string[] {
  const lines = [...logs].flatMap(([name, read]) =>
    read()
      .split('\n')
      .filter((line) => line !== '')
      .slice(-lineCount)
      .map((line) => `${name}: ${shorten(line)}`),
  );
  return lines.slice(-lineCount);
}

// Fields that every line has, and fields that lead nowhere from a failed test.
const DROPPED = new Set(['level', 'time', 'service', 'traceId', 'spanId', 'pid', 'hostname', 'msg']);

/** A line of our log as its message and its particular fields; any other line as it is. */
function shorten(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const fields: Record<string, unknown> = JSON.parse(line);
    const told = Object.entries(fields).filter(([key]) => !DROPPED.has(key));
    return [fields.msg, ...told.map(([key, value]) => `${key}=${JSON.stringify(value)}`)].join(' ');
  } catch {
    return line;
  }
}
