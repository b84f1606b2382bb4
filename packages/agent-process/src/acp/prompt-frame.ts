import type { ContentBlock, PromptRequest } from '@agentclientprotocol/sdk';
import type { DeliveryId, TraceContext } from '@attache/contracts';
import type { MaterialisedPart } from '../driver.ts';
import { createFrame, type EmbeddedBytes, type Frame } from '../frames/create-frame.ts';

export type PromptFrameRequest = {
  /** Also the request's id, so that an answer proves which delivery it is about. */
  deliveryId: DeliveryId;
  sessionId: string;
  parts: readonly MaterialisedPart[];
  /** What the agent declared: text files in blocks of their own. */
  embedsText: boolean;
  trace: TraceContext | undefined;
};

/** The `session/prompt` request of a delivery; images stand in it as bytes. */
export function promptFrame({ deliveryId, sessionId, parts, embedsText, trace }: PromptFrameRequest): Frame {
  return createFrame((embed) => {
    const params: PromptRequest = {
      sessionId,
      prompt: parts.map((part) => blockOfPart(part, embedsText, embed)),
      // Trace context travels as bare W3C keys (SEP-414).
      _meta: {
        ...(trace === undefined ? {} : { traceparent: trace.traceparent }),
        ...(trace?.tracestate === undefined ? {} : { tracestate: trace.tracestate }),
        attache: { deliveryId },
      },
    };
    return { jsonrpc: '2.0', id: deliveryId, method: 'session/prompt', params };
  });
}

function blockOfPart(
  part: MaterialisedPart,
  embedsText: boolean,
  embed: (bytes: EmbeddedBytes) => string,
): ContentBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', mimeType: part.mimeType, data: embed(part.content) };
    case 'text-file':
      return embedsText ? resourceOfFile(part) : { type: 'text', text: textOfFile(part) };
    default:
      return part satisfies never;
  }
}

type TextFile = Extract<MaterialisedPart, { type: 'text-file' }>;

function resourceOfFile({ attachmentId, name, mimeType, text }: TextFile): ContentBlock {
  const uri = `attachment:${attachmentId}/${encodeURIComponent(name.toWellFormed())}`;
  return { type: 'resource', resource: { uri, mimeType, text } };
}

/** The name as a JSON string keeps the header on one line whatever the file is called. */
function textOfFile({ name, mimeType, text }: TextFile): string {
  return `File ${JSON.stringify(name)} (${mimeType}):\n${text}`;
}
