// A program that speaks the protocol of a real agent and does what the lines `example: <name> [number]` of a prompt say, like the bundled
// example agent. `node fake-agent.ts claude|codex [flags]`; flags of the real program are taken and ignored.
import { createInterface } from 'node:readline';
import { speakClaude } from './fake-claude.ts';
import { speakCodex } from './fake-codex.ts';
import type { Send, Take } from './fake-lines.ts';

const [dialect = '', ...flags] = process.argv.slice(2);
const send: Send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const take: Take = dialect === 'claude' ? speakClaude(send, flags) : speakCodex(send);

for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line));
