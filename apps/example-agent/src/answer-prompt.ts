import { open } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AgentContext, type PromptRequest, type PromptResponse, RequestError } from '@agentclientprotocol/sdk';
import type { ToolContext } from '@attache/agent-kit';
import type { Config } from './config.ts';
import { describeFile } from './describe-file.ts';
import { readDirectives } from './directives.ts';
import { makeCard } from './make-card.ts';
import { die, misbehaveBeforeAnswer } from './misbehave.ts';
import { type ReceivedPrompt, readMarkers, readPrompt } from './read-prompt.ts';

const MAX_CARDS = 3;

export type Turn = {
  params: PromptRequest;
  client: AgentContext;
  config: Config;
  tools: ToolContext;
  signal: AbortSignal;
};

/** One turn: records what arrived, then says what it is, and draws a card of each image. */
export async function answerPrompt(turn: Turn): Promise<PromptResponse> {
  const { params, client, config, signal } = turn;
  const { sessionId } = params;
  const prompt = readPrompt(params.prompt);
  const directives = readDirectives(prompt.text);
  await recordDelivery(config.home, params, prompt);
  const failCode = directives.get('fail');
  if (failCode !== undefined) throw new RequestError(-failCode, 'failing as it was told');
  const remarks = await misbehaveBeforeAnswer({
    client,
    sessionId,
    directives,
    signal,
    environmentNames: config.environmentNames,
    requestId: (params._meta?.attache as { deliveryId?: unknown } | undefined)?.deliveryId,
  });
  if (directives.has('refuse')) remarks.push('I will not answer this.');
  const stopReason = directives.has('refuse') ? 'refusal' : 'end_turn';
  for await (const text of piecesOf(turn, prompt, remarks)) {
    await pause(directives.get('slow') ?? 0, signal);
    if (signal.aborted) return { stopReason: 'cancelled' };
    const content = { type: 'text', text } as const;
    await client.notify('session/update', { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } });
    if (directives.has('crash')) await die();
    if (stopReason === 'refusal') break;
  }
  return { stopReason: signal.aborted ? 'cancelled' : stopReason };
}

/** Appends what arrived to `deliveries.jsonl` in the agent's home: its own record, on disk before it answers. */
async function recordDelivery(home: string, { _meta: meta }: PromptRequest, { files }: ReceivedPrompt): Promise<void> {
  const attache = meta?.attache as { deliveryId?: unknown } | undefined;
  const record = {
    deliveryId: attache?.deliveryId,
    at: Date.now(),
    traceparent: meta?.traceparent,
    files: files.map(({ type, mimeType, sha256 }) => ({ type, mimeType, sha256 })),
  };
  await using file = await open(path.join(home, 'deliveries.jsonl'), 'a', 0o600);
  await file.write(`${JSON.stringify(record)}\n`);
  await file.sync();
}

/** The answer in the order in which it is said; tools run between its pieces. */
async function* piecesOf(turn: Turn, prompt: ReceivedPrompt, remarks: readonly string[]): AsyncGenerator<string> {
  for (const remark of remarks) yield `${remark}\n`;
  const markers = readMarkers(prompt.text);
  yield introductionOf(prompt, markers.length);
  for (const [index, file] of prompt.files.entries()) {
    yield `${index + 1}. ${await describeFile(file)}\n`;
  }
  const images = turn.tools.available ? markers.filter(({ mimeType }) => mimeType.startsWith('image/')) : [];
  for (const [index, marker] of images.slice(0, MAX_CARDS).entries()) {
    const { client, params } = turn;
    const tools = tracedTools(turn);
    yield `\n${await makeCard({ marker, client, tools, sessionId: params.sessionId, toolCallId: `card-${index + 1}` })}\n`;
  }
}

function introductionOf({ text, files }: ReceivedPrompt, markerCount: number): string {
  if (files.length > 0) return `I received ${files.length === 1 ? 'one file' : `${files.length} files`}:\n`;
  if (markerCount > 0) return 'Files were named to me, but none arrived.\n';
  return `I received ${text.length} characters and no files.\n`;
}

/** The tool's calls belong to the span of the delivery. */
function tracedTools({ tools, params }: Turn): ToolContext {
  const traceparent = params._meta?.traceparent;
  return typeof traceparent === 'string' ? tools.withTrace({ traceparent }) : tools;
}

async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs > 0) await delay(durationMs, undefined, { signal }).catch(() => undefined);
}
