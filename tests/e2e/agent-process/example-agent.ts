import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentSpec,
  agentFolders,
  type DeliveryContents,
  type DriverHooks,
  type DriverOutput,
  type EmbeddedBytes,
  type RunningAgent,
  type ToolCall,
  type TurnOutcome,
} from '@attache/agent-process';
import type { AttachmentId, DeliveryId, Part, TraceContext } from '@attache/contracts';
import { loadDriver } from '@attache/programs/drivers';
import { onTestFinished } from 'vitest';
import { inherited, specOf } from './agent-spec.ts';

export const attachmentId: AttachmentId = 'att_AAAAAAAAAAAAAAAAAAAAAA';

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'attache-e2e-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export type Seen = { outputs: DriverOutput[]; toolCalls: ToolCall[]; toolResults: unknown[]; deltas: string[] };

/** Hooks as strict as a gateway's: a tool call is denied. */
export function recordingHooks(): { hooks: DriverHooks; seen: Seen } {
  const seen: Seen = { outputs: [], toolCalls: [], toolResults: [], deltas: [] };
  const hooks: DriverHooks = {
    onOutput: async (item) => void seen.outputs.push(item),
    onDelta: ({ text }) => void seen.deltas.push(text),
    onToolCall: async (call) => {
      seen.toolCalls.push(call);
      return { decision: 'deny', reason: 'not in this test' };
    },
    onToolResult: async ({ content }) => {
      seen.toolResults.push(content);
      return content;
    },
  };
  return { hooks, seen };
}

const load = (cancelGraceMs: number) =>
  loadDriver('acp', {
    inherited,
    redact: (text) => text.replaceAll(/sk-\w+/g, '[redacted]'),
    client: { name: 'attache-e2e', version: '0.1.0' },
    cancelGraceMs,
  });

export const driver = await load(60_000);

/** For agents that do not end what they are asked to end. */
export const impatientDriver = await load(1_000);

export type Started = { agent: RunningAgent; folder: string; seen: Seen };

/** A running example agent, stopped and removed after the test. */
export async function startAgent(
  rest: Partial<AgentSpec> = {},
  changed: Partial<DriverHooks> = {},
  ownDriver = driver,
): Promise<Started> {
  const folder = await makeFolder();
  const { hooks, seen } = recordingHooks();
  const started = await ownDriver.start(specOf(folder, rest), { ...hooks, ...changed });
  if (started.status === 'failed') throw new Error(JSON.stringify(started.failure));
  onTestFinished(() => started.agent.stop({ graceMs: 0 }));
  return { agent: started.agent, folder, seen };
}

export type DeliverOptions = {
  parts?: Part[];
  onWriting?: () => Promise<void>;
  onWritten?: () => Promise<void>;
  signal?: AbortSignal;
  trace?: TraceContext;
};

export async function deliver(agent: RunningAgent, text: string, options: DeliverOptions = {}): Promise<TurnOutcome> {
  const { parts = [], onWriting = async () => undefined, onWritten = async () => undefined, signal, trace } = options;
  return await agent.deliver({
    deliveryId: newDeliveryId(),
    parts: [{ type: 'text', text }, ...parts],
    contents,
    onWriting,
    onWritten,
    signal,
    trace,
  });
}

export function newDeliveryId(): DeliveryId {
  return `dlv_${randomBytes(15).toString('hex').slice(0, 21)}A`;
}

// The contents, by digest, that the parts of these tests refer to.
const files = new Map<string, EmbeddedBytes>();
const texts = new Map<string, string>();

export const contents: DeliveryContents = {
  embedded: ({ sha256 }) => files.get(sha256) as EmbeddedBytes,
  text: ({ sha256 }) => texts.get(sha256) as string,
};

function givenReference(mimeType: string, bytes: Buffer) {
  return { attachmentId, mimeType, sizeBytes: bytes.length, sha256: hash('sha256', bytes) };
}

export function textPart(name: string, text: string): Part {
  const bytes = givenReference('text/plain', Buffer.from(text));
  texts.set(bytes.sha256, text);
  return { type: 'text-file', bytes, name };
}

export async function imagePart(folder: string, bytes: Buffer): Promise<Part & { path: string }> {
  const file = path.join(folder, `${randomBytes(4).toString('hex')}.png`);
  await writeFile(file, bytes, { mode: 0o600 });
  const reference = givenReference('image/png', bytes);
  files.set(reference.sha256, { path: file, sizeBytes: bytes.length });
  return { type: 'image', bytes: reference, path: file };
}

/** All that the agent said in finished texts. */
export function saidIn({ outputs }: Seen): string {
  return outputs.map((item) => (item.type === 'text' ? item.text : '')).join('');
}

export async function deliveriesOf(folder: string): Promise<{ deliveryId: string; files: { sha256: string }[] }[]> {
  const text = await readFile(path.join(agentFolders(folder).home, 'deliveries.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A process that has ended but was not yet collected by its parent does not run. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [XZ]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
