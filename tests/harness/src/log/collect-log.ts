import { appendFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { showLogOfFailures } from './stack-logs.ts';

export type CollectedLog = {
  /** All that came so far. */
  read(): string;
  /** A test that fails from now on does not show it any more. */
  stop(): void;
};

/** Keeps what a process logs, and shows the end of it with a test that fails. `file` gets all of it too. */
export function collectLog({
  name,
  stream,
  file,
}: {
  name: string;
  stream: Readable;
  file?: string | undefined;
}): CollectedLog {
  const said: string[] = [];
  stream.setEncoding('utf8').on('data', (text: string) => {
    said.push(text);
    if (file !== undefined) appendFileSync(file, text);
  });
  const read = () => said.join('');
  return { read, stop: showLogOfFailures(name, read) };
}
