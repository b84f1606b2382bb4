import type { AgentContext } from '@agentclientprotocol/sdk';
import { formatMarker, type ToolContext } from '@attache/agent-kit';
import { drawCard } from './draw-card.ts';
import type { Marker } from './read-prompt.ts';

export type CardRequest = {
  marker: Marker;
  sessionId: string;
  toolCallId: string;
  client: AgentContext;
  tools: ToolContext;
};

/** The agent's one tool: draws a palette card of an attachment, stores it, and says what came of it in one sentence. */
export async function makeCard(request: CardRequest): Promise<string> {
  const { marker, sessionId, toolCallId, client } = request;
  const update = (change: { status: 'in_progress' | 'completed' | 'failed'; text?: string }) =>
    client.notify('session/update', {
      sessionId,
      update: {
        sessionUpdate: change.text === undefined ? 'tool_call' : 'tool_call_update',
        toolCallId,
        title: `Draw a palette card of ${JSON.stringify(marker.name)}`,
        name: 'make_palette_card',
        kind: 'edit',
        status: change.status,
        rawInput: { attachmentId: marker.id },
        ...(change.text === undefined
          ? {}
          : { content: [{ type: 'content', content: { type: 'text', text: change.text } }] }),
      },
    });
  await update({ status: 'in_progress' });
  const made = await drawAndStore(request);
  await update({ status: made.ok ? 'completed' : 'failed', text: made.text });
  return made.sentence;
}

type Made = { ok: boolean; text: string; sentence: string };

/** A tool answers in text, even if attachments are not available (AT-41). */
async function drawAndStore({ marker, tools }: CardRequest): Promise<Made> {
  try {
    const handle = await tools.resolve(marker.id);
    const card = await drawCard(await handle.bytes());
    if (card === undefined) return failed(`${marker.id} does not decode as an image.`);
    const name = `palette-of-${handle.attachment.name.replace(/\.[^.]*$/, '')}.png`;
    const output = await tools.putOutput({ bytes: card.bytes, name, mimeType: card.mimeType });
    const outputMarker = formatMarker({ id: output.attachmentId, mimeType: output.mimeType, name: output.name });
    return {
      ok: true,
      text: outputMarker,
      sentence: `I drew a palette card of ${JSON.stringify(marker.name)}: ${output.attachmentId} (${output.name}).`,
    };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(text: string): Made {
  return { ok: false, text, sentence: `I could not draw a palette card: ${text}` };
}
