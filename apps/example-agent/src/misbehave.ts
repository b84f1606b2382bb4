import { once } from 'node:events';
import { closeSync, writeSync } from 'node:fs';
import type { AgentContext, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { Directives } from './directives.ts';
import { spawnOrphan } from './spawn-orphan.ts';

const GARBAGE_LINES = 64;
const FLOOD_PIECE = 'x'.repeat(100_000);
const kept: Buffer[] = [];
// A red dot, 1 × 1 pixel.
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

export type Stage = {
  client: AgentContext;
  sessionId: string;
  directives: Directives;
  environmentNames: readonly string[];
  signal: AbortSignal;
  /** The id of the request that is answered. */
  requestId: unknown;
};

/** Does what the directives ask for before the answer. Returns the texts about it. */
export async function misbehaveBeforeAnswer(stage: Stage): Promise<string[]> {
  const { directives, environmentNames, signal } = stage;
  if (directives.has('crash-before-answer')) await die();
  if (directives.has('ignore-sigterm')) ignoreSigterm();
  if (directives.has('garbage')) await writeGarbage();
  // Kept, so that it is not given back.
  if (directives.has('eat-memory')) kept.push(Buffer.alloc(directives.get('eat-memory') ?? 0, 1));
  if (directives.has('hang')) await untilAborted(signal);
  if (directives.has('deaf')) await new Promise(() => undefined);
  if (directives.has('emit-base64')) await emitBase64(stage);
  if (directives.has('half-frame')) await endInMidFrame();
  if (directives.has('answer-twice')) answerOnceMore(stage.requestId);
  if (directives.has('close-input')) process.stdin.destroy();
  if (directives.has('close-output')) await closeOutput();
  if (directives.has('ask-endlessly')) askEndlessly(stage);
  if (directives.has('stop-reading')) setTimeout(blockForEver, 100);
  for (let left = directives.get('flood') ?? 0; left > 0; left -= FLOOD_PIECE.length) await say(stage, FLOOD_PIECE);
  const said: string[] = [];
  if (directives.has('env-keys')) said.push(`My environment: ${environmentNames.join(' ')}.`);
  if (directives.has('spawn-orphan')) said.push(`I left the orphan ${spawnOrphan()}.`);
  if (directives.has('ask-permission')) said.push(`I asked for permission: ${await askPermission(stage)}.`);
  if (directives.has('long-line')) said.push('x'.repeat(directives.get('long-line') ?? 0));
  return said;
}

/** Ends as a crashing program does: at once, without a word of the protocol. */
export async function die(): Promise<never> {
  await new Promise((resolve) => process.stderr.write('example-agent: crashing as it was told\n', resolve));
  process.kill(process.pid, 'SIGKILL');
  return await new Promise<never>(() => undefined);
}

export async function writeGarbage(): Promise<void> {
  for (let line = 0; line < GARBAGE_LINES; line += 1) {
    if (!process.stdout.write(`\u0007 not a message ${line} {"jsonrpc":\n`)) await once(process.stdout, 'drain');
  }
}

function ignoreSigterm(): void {
  process.on('SIGTERM', () => undefined);
  // Also outlives the end of its input.
  setInterval(() => undefined, 60_000);
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function endInMidFrame(): Promise<never> {
  await new Promise<void>((resolve) => process.stdout.write('{"jsonrpc":"2.0","method":"session/upd', () => resolve()));
  return await die();
}

function answerOnceMore(id: unknown): void {
  const answer = { jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } };
  setTimeout(() => process.stdout.write(`${JSON.stringify(answer)}\n`), 50);
}

async function closeOutput(): Promise<never> {
  closeSync(process.stdout.fd);
  return await new Promise<never>(() => setInterval(() => undefined, 60_000));
}

// Its event loop never turns again, so that nothing is read.
function askEndlessly({ sessionId }: Stage): never {
  for (let round = 0; ; round += 1) {
    const params = { sessionId, ...commandRequest(`ask ${round}`) };
    const request = { jsonrpc: '2.0', id: `ask ${round}`, method: 'session/request_permission', params };
    writeThrough(`${JSON.stringify(request)}\n`);
  }
}

// To the last byte, though the event loop is blocked.
function writeThrough(line: string): void {
  let rest = Buffer.from(line);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(process.stdout.fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function blockForEver(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

async function say({ client, sessionId }: Stage, text: string): Promise<void> {
  const content = { type: 'text', text } as const;
  await client.notify('session/update', { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } });
}

async function emitBase64({ client, sessionId }: Stage): Promise<void> {
  const image = { type: 'image', mimeType: 'image/png', data: DOT } as const;
  const text = { type: 'text', text: `![dot](data:image/png;base64,${DOT})` } as const;
  await client.notify('session/update', { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: text } });
  await client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: image },
  });
  await client.notify('session/update', {
    sessionId,
    update: {
      sessionUpdate: 'tool_call',
      toolCallId: 'dot',
      title: 'Draw a dot',
      name: 'draw_dot',
      status: 'completed',
      content: [
        { type: 'content', content: image },
        { type: 'content', content: { type: 'text', text: 'A dot.' } },
      ],
    },
  });
}

async function askPermission({ client, sessionId }: Stage): Promise<string> {
  const { outcome } = await client.request('session/request_permission', { sessionId, ...commandRequest('ask') });
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
}

function commandRequest(toolCallId: string): Omit<RequestPermissionRequest, 'sessionId'> {
  return {
    toolCall: { toolCallId, title: 'Run a command', kind: 'execute', rawInput: { command: 'true' } },
    options: [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  };
}
