import { createInterface } from 'node:readline';
import type { Send, Take } from './fake-lines.ts';

/**
 * Runs a program that speaks the protocol of a real agent and does what the lines `example: <name> [number]` of a prompt say, like the
 * bundled example agent. Flags of the real program are taken and ignored, unless `speak` reads them.
 */
export async function runFake(speak: (send: Send, flags: readonly string[]) => Take): Promise<void> {
  const take = speak((message) => process.stdout.write(`${JSON.stringify(message)}\n`), process.argv.slice(2));
  for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line));
}
