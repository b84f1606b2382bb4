import type { DriverHooks, DriverOutput } from '@attache/agent-process';
import { type Actor, type AgentId, type AgentOutputItem, idFromUuid } from '@attache/contracts';
import { type NewEvent, untilAnswered } from '@attache/database';
import { extensionOf, markTaken, type TakenFile, takeOutMedia, typeOfTaken } from '@attache/domain';
import { type IncomingFile, storeAttachment } from '@attache/intake';
import { recordStripped, withSpan } from '@attache/telemetry';
import type { ToolGate } from '../gate/tool-gate.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import { createOutputQueue } from '../output/output-queue.ts';
import type { OutputSink } from '../output/output-sink.ts';
import { createDeltaStrip } from '../output/strip-deltas.ts';
import { retryStorage } from '../ownership/retry-storage.ts';
import type { SessionOwnership } from '../ownership/session-ownership.ts';

type Deps = Pick<GatewayDeps, 'db' | 'intake' | 'doorbells' | 'log' | 'settings'> & { ownership: SessionOwnership };

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Keeps a file out of an agent's output as an attachment of its own (SR-24, AT-34). Undefined if it is larger than an output may be. */
async function keepMedia(deps: Deps, sink: OutputSink, media: { mimeType: string; bytes: Uint8Array }) {
  const { maxOutputBytes } = deps.settings;
  if (media.bytes.length > maxOutputBytes) return undefined;
  const store = () => {
    const file: IncomingFile = {
      ...sink.session,
      sizeBytes: media.bytes.length,
      maxBytes: maxOutputBytes,
      origin: 'agent',
      actor: { type: 'agent', id: idFromUuid('agent', sink.agentId) },
      agentId: sink.agentId,
      fence: deps.ownership.fenceOf(sink.session),
    };
    const name = `output.${extensionOf(media.mimeType)}`;
    const open = async () => ({ stream: once(media.bytes), name, declaredMimeType: media.mimeType });
    return storeAttachment(deps.intake, file, open);
  };
  // The log keeps the order: first what the agent said, then its file.
  await deps.ownership.settled(sink.session);
  // The bytes are here alone: an outage must not lose them.
  const { stored } = await untilAnswered(() => retryStorage(store), deps.ownership.isWaiting);
  return stored.attachment;
}

const describeRemoval = ({ mimeType, bytes }: { mimeType: string; bytes: Uint8Array }): string =>
  `[removed ${mimeType} of ${bytes.length} bytes, more than an output may have]`;

/** The text with its media kept as attachments and replaced by markers. */
async function replaceMedia(deps: Deps, sink: OutputSink, text: string): Promise<string> {
  const parts = takeOutMedia(text);
  const taken = parts.filter((part) => typeof part !== 'string');
  if (taken.length === 0) return text;
  const stripped = { count: taken.length, bytes: taken.reduce((sum, { bytes }) => sum + bytes.length, 0) };
  const attributes = { 'att.stripped.count': stripped.count, 'att.stripped.bytes': stripped.bytes };
  recordStripped(stripped);
  return withSpan({ name: 'attachment.strip', attributes }, async () => {
    const replaced: string[] = [];
    for (const part of parts) replaced.push(typeof part === 'string' ? part : await keepAndMark(deps, sink, part));
    return replaced.join('');
  });
}

async function keepAndMark(deps: Deps, sink: OutputSink, taken: TakenFile): Promise<string> {
  const media = { mimeType: typeOfTaken(taken), bytes: taken.bytes };
  const attachment = await keepMedia(deps, sink, media);
  return attachment === undefined ? describeRemoval(media) : markTaken(attachment, taken);
}

async function toItem(deps: Deps, sink: OutputSink, output: DriverOutput): Promise<AgentOutputItem> {
  switch (output.type) {
    case 'text':
    case 'thought':
      return { type: output.type, text: await replaceMedia(deps, sink, output.text) };
    case 'tool-call': {
      const { callId, title, status } = output;
      const text = output.text === undefined ? {} : { text: await replaceMedia(deps, sink, output.text) };
      return { type: 'tool-call', callId, title: await replaceMedia(deps, sink, title), status, ...text };
    }
    case 'media': {
      const attachment = await keepMedia(deps, sink, output);
      if (attachment === undefined) return { type: 'text', text: describeRemoval(output) };
      return { type: 'media', attachmentId: attachment.id, mimeType: attachment.mimeType };
    }
    case 'usage':
      return output;
  }
}

/** The log records the outcome of a tool call in addition to the output about it. */
function eventsOf(item: AgentOutputItem, agentId: AgentId, tools: ToolGate): NewEvent[] {
  if (item.type !== 'tool-call') return [];
  const tool = tools.takeCalled(item.callId);
  if (tool === undefined) return [];
  const actor: Actor = { type: 'agent', id: agentId };
  return [{ kind: 'tool.completed', actor, data: { agentId, callId: item.callId, tool, status: item.status } }];
}

/** Takes an agent's output into the session log; its tool calls go through the gate. */
export function createDriverHooks(deps: Deps, sink: OutputSink, tools: ToolGate): DriverHooks {
  const agentId = idFromUuid('agent', sink.agentId);
  const actor: Actor = { type: 'agent', id: agentId };
  const append = createOutputQueue(deps.ownership, sink);
  const delivery = () => {
    const deliveryId = sink.currentTurn()?.deliveryId;
    return deliveryId === undefined ? {} : { deliveryId };
  };
  const deltas = createDeltaStrip((delta) =>
    deps.doorbells.sendDelta(sink.session.sessionId, { agentId, ...delivery(), ...delta }),
  );
  return {
    // The connection outlives its turns: the span that is active in it is of the turn that opened it.
    onOutput: (output) => {
      deltas.end();
      return withSpan({ name: 'record agent.output', parent: sink.currentTurn()?.trace ?? 'root' }, async () => {
        const item = await toItem(deps, sink, output);
        const said: NewEvent = { kind: 'agent.output', actor, data: { agentId, ...delivery(), item } };
        await append([said, ...eventsOf(item, agentId, tools)]);
      });
    },
    onDelta: deltas.push,
    onToolCall: tools.decide,
    onToolResult: async ({ content }) => content,
  };
}
