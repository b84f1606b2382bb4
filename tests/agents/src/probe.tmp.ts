import { hash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { createDrivers } from '../../../packages/agent-process/src/drivers.ts';
import { type AgentSpec, childMarker, type DriverHooks } from '../../../packages/agent-process/src/index.ts';
import { startModelStub } from './stub/model-stub.ts';

const which = process.argv[2] ?? 'claude';
const cache = path.join(homedir(), '.cache/attache/agents');
const bin = (dir: string, name: string) => path.join(cache, dir, 'node_modules/.bin', name);
const stub = await startModelStub();
const api = {
  claude: 'anthropic',
  codex: 'openai-responses',
  'claude-agent-acp': 'anthropic',
  'codex-acp': 'openai-responses',
  gemini: 'google',
  opencode: 'openai-chat',
}[which] as never;
const table: Record<
  string,
  { runtime: 'acp' | 'claude-stream-json' | 'codex-app-server'; command: string[]; model: string }
> = {
  claude: { runtime: 'claude-stream-json', command: [bin('claude-code-2.1.329', 'claude')], model: 'claude-sonnet-5' },
  codex: { runtime: 'codex-app-server', command: [bin('codex-0.169.0', 'codex')], model: 'gpt-5.5' },
  'claude-agent-acp': {
    runtime: 'acp',
    command: [bin('claude-agent-acp-0.100.0', 'claude-agent-acp')],
    model: 'claude-sonnet-5',
  },
  'codex-acp': { runtime: 'acp', command: [bin('codex-acp-2.6.0', 'codex-acp')], model: 'gpt-5.5' },
  gemini: { runtime: 'acp', command: [bin('gemini-cli-0.61.0', 'gemini'), '--acp'], model: 'gemini-2.5-pro' },
  opencode: { runtime: 'acp', command: [bin('opencode-ai-1.18.33', 'opencode'), 'acp'], model: 'm' },
};
const entry = table[which]!;
const drivers = createDrivers({
  inherited: { PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, LANG: 'C.UTF-8' },
  redact: (t) => t,
  client: { name: 'attache', version: '0.1.0' },
});
const folder = await mkdtemp('/tmp/probe/agent-');
await rm(folder, { recursive: true });
const isV1 = api === 'openai-responses' || api === 'openai-chat';
const spec: AgentSpec = {
  agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA',
  command: entry.command,
  args: [],
  env: {},
  folder,
  socketPath: '/tmp/probe/none.sock',
  token: 'ata_x',
  provider: 'gw',
  model: entry.model,
  capability: { image: true, pdf: true, audio: true },
  endpoint: {
    api,
    baseUrl: isV1 ? `${stub.url}/v1` : api === 'google' ? `${stub.url}` : stub.url,
    apiKey: 'sk-test-key',
  },
  mcpCommand: process.env.MCP ? JSON.parse(process.env.MCP) : undefined,
  lineBytes: 64 << 20,
  turnMs: 60000,
  startMs: 30000,
  marker: childMarker({ replica: 'probe', incarnation: '1' }),
};
const hooks: DriverHooks = {
  onOutput: async (o) => console.log('OUT', JSON.stringify(o).slice(0, 400)),
  onDelta: (d) => console.log('DELTA', JSON.stringify(d).slice(0, 100)),
  onToolCall: async (c) => {
    console.log('ASK', JSON.stringify(c));
    return process.env.DENY ? { decision: 'deny', reason: 'the gate says no: foreign id' } : { decision: 'allow' };
  },
  onToolResult: async (r) => r.content,
};
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const file = path.join('/tmp/probe', 'dot.png');
await writeFile(file, png);
const reference = {
  attachmentId: 'att_AAAAAAAAAAAAAAAAAAAAAA' as const,
  mimeType: 'image/png',
  sizeBytes: png.length,
  sha256: hash('sha256', png),
};
const tool = process.env.TOOL ? JSON.parse(process.env.TOOL) : undefined;
let n = 0;
stub.script((request) => {
  console.log(
    'REQ',
    JSON.stringify({
      ...request,
      headers: undefined,
      texts: request.texts.map((t) => t.slice(0, 60)),
      toolNames: request.toolNames.length < 40 ? request.toolNames : request.toolNames.length,
    }).slice(0, 1500),
  );
  n += 1;
  if (process.env.STATUS && n <= Number(process.env.TIMES ?? 99))
    return { status: Number(process.env.STATUS), error: { message: 'stub says no' } };
  if (tool && request.toolResults.length === 0 && n === 1) return { toolCalls: [tool] };
  return { text: `I see ${request.newAttachments.length} attachments` };
});
let t = performance.now();
const started = await drivers[entry.runtime].start(spec, hooks);
console.log(
  'START',
  Math.round(performance.now() - t),
  started.status === 'failed'
    ? started.failure
    : { declared: started.agent.declared, v: started.agent.programVersion, ref: started.agent.resumeReference },
);
if (started.status === 'started') {
  const send = async (agent: typeof started.agent, text: string) => {
    t = performance.now();
    const out = await agent.deliver({
      deliveryId: `dlv_${randomBytes(15).toString('hex').slice(0, 21)}A`,
      parts: [
        { type: 'text', text },
        { type: 'image', bytes: reference },
      ],
      contents: { embedded: () => ({ path: file, sizeBytes: png.length }), text: () => '' },
      onWriting: async () => {},
      onWritten: async () => console.log('WRITTEN', Math.round(performance.now() - t)),
    });
    console.log('OUTCOME', Math.round(performance.now() - t), JSON.stringify(out));
  };
  await send(started.agent, 'look at this');
  if (!process.env.ONE) await send(started.agent, 'and again');
  const ref = started.agent.resumeReference;
  console.log('REF', ref);
  t = performance.now();
  await started.agent.stop({ graceMs: 3000 });
  console.log('STOPPED', Math.round(performance.now() - t), await started.agent.exited);
  if (!process.env.ONE && ref) {
    const again = await drivers[entry.runtime].start({ ...spec, resumeReference: ref }, hooks);
    console.log('RESUMED', again.status === 'failed' ? again.failure : again.agent.isResumed);
    if (again.status === 'started') {
      await send(again.agent, 'third');
      await again.agent.stop({ graceMs: 3000 });
    }
  }
}
await stub.stop();
if (!process.env.KEEP) await rm(folder, { recursive: true, force: true });
void readFile;
void randomUUID;
process.exit(0);
