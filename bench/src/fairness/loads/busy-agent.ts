import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

// An agent that does one thing for as long as its turn lasts, as the text of its message says: `talk`, `call` or `ask`.

type Message = { id?: number | string; method?: string; params?: { prompt: { text?: string }[] } };

const { ATTACHE_AGENT_SOCKET: socketPath = '', ATTACHE_AGENT_TOKEN: token = '' } = process.env;
const SESSION = 'busy';
const WORD_MS = 5;
const CALLS_AT_ONCE = 32;
/** Words that look like ids in many spellings are costly to judge. */
const SPELLED = String.raw`\u0061tt_ %61tt_ \x61tt\x5f YXR0Xw== &#97;tt_ `;
const HOSTILE_BYTES = 256 * 1024;

let isCancelled = false;
const answered = new Map<string, () => void>();

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function talk(): Promise<void> {
  while (!isCancelled) {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'word ' } };
    write({ method: 'session/update', params: { sessionId: SESSION, update } });
    await pause(WORD_MS);
  }
}

function callOnce(): Promise<void> {
  const call = { name: 'attachments_list', arguments: {} };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const outgoing = request({ socketPath, path: '/agent/mcp', method: 'POST', headers, agent: false });
    outgoing.once('response', (response) => response.resume().once('close', resolve));
    outgoing.once('error', () => resolve()).end(body);
  });
}

async function callAgain(): Promise<void> {
  while (!isCancelled) await callOnce();
}

const call = () => Promise.all(Array.from({ length: CALLS_AT_ONCE }, callAgain));

async function ask(): Promise<void> {
  const command = SPELLED.repeat(HOSTILE_BYTES / SPELLED.length);
  for (let round = 0; !isCancelled; round += 1) {
    const id = `ask ${round}`;
    const toolCall = { toolCallId: id, title: 'run', kind: 'execute', rawInput: { command: `${round} ${command}` } };
    const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));
    const heard = new Promise<void>((resolve) => answered.set(id, resolve));
    write({ id, method: 'session/request_permission', params: { sessionId: SESSION, toolCall, options } });
    await heard;
    answered.delete(id);
  }
}

const deeds: Record<string, () => Promise<unknown>> = { talk, call, ask };

async function answer({ id, method, params }: Message): Promise<void> {
  if (method === undefined) answered.get(String(id))?.();
  if (method === 'initialize') write({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === 'session/new') write({ id, result: { sessionId: SESSION } });
  if (method === 'session/cancel') isCancelled = true;
  if (method !== 'session/prompt') return;
  isCancelled = false;
  const text = params?.prompt.map((block) => block.text ?? '').join('\n') ?? '';
  for (const [word, work] of Object.entries(deeds)) if (text.includes(`do: ${word}`)) await work();
  write({ id, result: { stopReason: 'end_turn' } });
}

for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line));
