import { createInterface } from 'node:readline';
import type { Send, Take } from './fake-lines.ts';

/**
 * Runs a program that speaks the protocol of a real agent and follows the lines `example: <name> [number]` of a prompt, like the bundled example agent. Flags
 * of the real program are accepted and ignored, unless `speak` reads them.
 */
export async function runFake(speak: (send: Send, flags: readonly string[]) => Take): Promise<void> {
  const take = speak((message) => process.stdout.write(`${JSON.stringify(message)}\n`), process.argv.slice(2));
  for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line));
}
