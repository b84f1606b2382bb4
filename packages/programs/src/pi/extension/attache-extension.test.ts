import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import loadAttache from './attache-extension.ts';
import { GATE_ALLOWS, GATE_COMMAND, GATE_TITLE } from './gate-dialog.ts';

type Tool = { name: string; parameters: unknown; execute(callId: string, input: unknown): Promise<unknown> };
// biome-ignore lint/suspicious/noExplicitAny: a handler of any event
type Handler = (...args: any[]) => Promise<unknown>;

/** The extension in a pi that only keeps what it registers. */
function load() {
  const handlers = new Map<string, Handler>();
  const commands: string[] = [];
  const tools: Tool[] = [];
  loadAttache({
    on: (event: string, handler: Handler) => void handlers.set(event, handler),
    registerCommand: (name: string) => void commands.push(name),
    registerTool: (tool: Tool) => void tools.push(tool),
  });
  const run = (event: string, ...args: unknown[]) => handlers.get(event)?.(...args);
  return { run, commands, tools };
}

const call = { toolCallId: 'c1', toolName: 'bash', input: { command: 'true' } };

describe('the gate of pi', () => {
  const ask = (answer: () => Promise<string | undefined>) => {
    const input = vi.fn(answer);
    return { input, decision: load().run('tool_call', call, { ui: { input } }) };
  };

  it('says that it is there', () => {
    expect(load().commands).toEqual([GATE_COMMAND]);
  });

  it('asks about a call with its arguments, and lets it run on one answer alone [BX-21]', async () => {
    const { input, decision } = ask(async () => GATE_ALLOWS);
    expect(await decision).toBeUndefined();
    const question = { callId: 'c1', tool: 'bash', input: { command: 'true' } };
    expect(input.mock.calls).toEqual([[GATE_TITLE, JSON.stringify(question)]]);
  });

  it('blocks on every other answer, on none and on a failure [BX-21]', async () => {
    expect(await ask(async () => 'Denied: no').decision).toEqual({ block: true, reason: 'Denied: no' });
    expect(await ask(async () => undefined).decision).toMatchObject({ block: true });
    // pi blocks a call whose handler throws.
    await expect(ask(() => Promise.reject(new Error('gone'))).decision).rejects.toThrow('gone');
  });
});

describe('the tools of Attaché in pi', () => {
  let folder: string;
  let server: Server;
  let asked: { authorization: string | undefined; method: string; params: unknown }[];
  let answer: (method: string) => object;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'attache-pi-'));
    asked = [];
    server = createServer(async (request, response) => {
      const { id, method, params } = JSON.parse(await text(request));
      asked.push({ authorization: request.headers.authorization, method, params });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer(method) }));
    });
    const socket = join(folder, 's');
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    vi.stubEnv('ATTACHE_AGENT_SOCKET', socket);
    vi.stubEnv('ATTACHE_AGENT_TOKEN', 'ata_x');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    server.close();
    await rm(folder, { recursive: true });
  });

  const listed = { tools: [{ name: 'resource_view', description: 'shows', inputSchema: { type: 'object' } }] };
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

  async function loadTool(result: object) {
    answer = (method) => (method === 'tools/list' ? { result: listed } : result);
    const { run, tools } = load();
    await run('session_start');
    return tools[0] as Tool;
  }

  it('are those that the gateway lists; a call goes to it with the token, and brings pictures back [SR-18]', async () => {
    const tool = await loadTool({ result: { content: [image, { type: 'audio' }] } });
    expect(tool).toMatchObject({ name: 'attache_resource_view', parameters: { type: 'object' } });
    expect(await tool.execute('c1', { attachmentId: 'att' })).toEqual({ content: [image], details: undefined });
    expect(asked).toMatchObject([
      { authorization: 'Bearer ata_x', method: 'tools/list' },
      { method: 'tools/call', params: { name: 'resource_view', arguments: { attachmentId: 'att' } } },
    ]);
  });

  it.each([
    [
      'a result that is an error',
      { result: { isError: true, content: [{ type: 'text', text: 'not yours' }] } },
      'not yours',
    ],
    ['an error', { error: { message: 'away' } }, 'away'],
    ['a refusal', { detail: 'Too many calls at once.' }, 'Too many calls at once.'],
  ])('fail with the reason on %s', async (_, result, reason) => {
    const tool = await loadTool(result);
    await expect(tool.execute('c1', {})).rejects.toThrow(reason);
  });
});
