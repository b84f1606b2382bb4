import type { PromptRequest } from '@agentclientprotocol/sdk';
import type { DeliveryContents } from '@attache/agent-process';
import { createFrame, type Frame } from '@attache/agent-process/frames/create-frame';
import type { ByteReference, DeliveryId, Part, TraceContext } from '@attache/contracts';
import { type AcpOptions, projectToAcp } from '@attache/projections';

export type PromptFrameRequest = {
  /** Also the request's id, so that an answer proves which delivery it is about. */
  deliveryId: DeliveryId;
  sessionId: string;
  parts: readonly Part[];
  contents: DeliveryContents;
  options: AcpOptions;
  trace: TraceContext | undefined;
};

/** The `session/prompt` request of a delivery; what is not text is in it as bytes. */
export function promptFrame({ deliveryId, sessionId, parts, contents, options, trace }: PromptFrameRequest): Frame {
  return createFrame((embed) => {
    const rendering = {
      base64: (reference: ByteReference) => embed(contents.embedded(reference)),
      text: (reference: ByteReference) => contents.text(reference),
    };
    const params: PromptRequest = {
      sessionId,
      prompt: projectToAcp(parts, rendering, options),
      // Trace context is sent as bare W3C keys (SEP-414).
      _meta: {
        ...(trace === undefined ? {} : { traceparent: trace.traceparent }),
        ...(trace?.tracestate === undefined ? {} : { tracestate: trace.tracestate }),
        attache: { deliveryId },
      },
    };
    return { jsonrpc: '2.0', id: deliveryId, method: 'session/prompt', params };
  });
}
