import type { DriverHooks, DriverOutput } from '@attache/agent-process';
import { type Actor, type AgentId, type AgentOutputItem, idFromUuid } from '@attache/contracts';
import { createOwnerAppend, type NewEvent, untilAnswered } from '@attache/database';
import { findInlineMedia, formatMarker, type InlineMedia, stripInlineMedia } from '@attache/domain';
import { type IncomingFile, storeAttachment } from '@attache/intake';
import { recordStripped, withSpan } from '@attache/telemetry';
import { bePatient } from './be-patient.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import type { OutputSink } from './output-sink.ts';
import type { SessionOwnership } from './session-ownership.ts';
import type { ToolGate } from './tool-gate.ts';

type Deps = Pick<GatewayDeps, 'db' | 'intake' | 'doorbells' | 'log' | 'settings'> & { ownership: SessionOwnership };

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Keeps media of an agent's output as an attachment of its own and answers the marker that stands for it (SR-24, AT-34). */
async function keepMedia(deps: Deps, sink: OutputSink, media: { mimeType: string; bytes: Buffer }) {
  const store = () => {
    const file: IncomingFile = {
      ...sink.session,
      sizeBytes: media.bytes.length,
      maxBytes: deps.settings.maxOutputBytes,
      origin: 'agent',
      actor: { type: 'agent', id: idFromUuid('agent', sink.agentId) },
      agentId: sink.agentId,
      fence: deps.ownership.fenceOf(sink.session),
    };
    const name = `output.${media.mimeType.split('/')[1] ?? 'bin'}`;
    const open = async () => ({ stream: once(media.bytes), name, declaredMimeType: media.mimeType });
    return storeAttachment(deps.intake, file, open);
  };
  // The bytes are here alone: an outage must not lose them.
  const { stored } = await untilAnswered(() => bePatient(store), deps.ownership.isWaiting);
  return stored.attachment;
}

// A broken escape is kept as it stands: what an agent wrote is never lost for a slip in it.
function decodePercent(payload: string): string {
  try {
    return decodeURIComponent(payload);
  } catch {
    return payload;
  }
}

/** The text with its media kept as attachments and replaced by markers. What cannot be kept is removed and said to be. */
async function replaceMedia(deps: Deps, sink: OutputSink, text: string): Promise<string> {
  const media = findInlineMedia(text);
  if (media.length === 0) return text;
  const stripped = { count: media.length, bytes: media.reduce((sum, { start, end }) => sum + end - start, 0) };
  const attributes = { 'att.stripped.count': stripped.count, 'att.stripped.bytes': stripped.bytes };
  recordStripped(stripped);
  return withSpan({ name: 'attachment.strip', attributes }, () => keepAndMark(deps, sink, text, media));
}

async function keepAndMark(deps: Deps, sink: OutputSink, text: string, media: readonly InlineMedia[]): Promise<string> {
  const markers: (string | undefined)[] = [];
  for (const found of media) {
    // Base64 without a declared type may be anything: it is kept as bytes and never shown as text.
    const { payload } = found;
    const isBase64 = found.encoding === 'base64';
    const bytes = isBase64 ? Buffer.from(payload, 'base64') : Buffer.from(decodePercent(payload));
    const attachment =
      bytes.length === 0
        ? undefined
        : await keepMedia(deps, sink, { mimeType: found.mimeType ?? 'application/octet-stream', bytes });
    markers.push(attachment && formatMarker(attachment));
  }
  let index = 0;
  return stripInlineMedia(text, () => markers[index++]);
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
      return { type: 'media', attachmentId: attachment.id, mimeType: attachment.mimeType };
    }
    case 'usage':
      return output;
  }
}

/** What became of a tool call stands in the log beside what was said of it. */
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
  const append = (events: NewEvent[]) =>
    deps.ownership.step(sink.session, createOwnerAppend(deps.db, sink.session, events));
  const delivery = () => {
    const deliveryId = sink.currentTurn()?.deliveryId;
    return deliveryId === undefined ? {} : { deliveryId };
  };
  return {
    // The connection outlives its turns: the span that is active in it is of the turn that opened it.
    onOutput: (output) =>
      withSpan({ name: 'record agent.output', parent: sink.currentTurn()?.trace ?? 'root' }, async () => {
        const item = await toItem(deps, sink, output);
        const said: NewEvent = { kind: 'agent.output', actor, data: { agentId, ...delivery(), item } };
        await append([said, ...eventsOf(item, agentId, tools)]);
      }),
    onDelta(delta) {
      // A delta is not stored, so its media is not kept either: the finished item has it.
      const text = stripInlineMedia(delta.text, () => undefined);
      deps.doorbells.sendDelta(sink.session.sessionId, { agentId, ...delivery(), type: delta.type, text });
    },
    onToolCall: tools.decide,
    onToolResult: async ({ content }) => content,
  };
}
