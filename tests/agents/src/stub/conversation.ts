/** An attachment as it stood in a request. A reference that carries no bytes has size 0 and an empty digest. */
export type SeenAttachment = {
  /** The block's type as it is on the wire: image, document, input_image, inlineData … */
  type: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  where: 'message' | 'tool-result';
};

export type SeenToolResult = { callId?: string; name?: string; text: string };

/** `kind` says how the model calls it: with a JSON object, or with plain text. */
export type OfferedTool = { name: string; kind: 'function' | 'custom'; namespace?: string };

/** One message of a conversation. The results of tools belong to the user's side. */
export type Turn = {
  role: 'system' | 'user' | 'assistant';
  texts: string[];
  /** Texts that came as attachments. */
  documentTexts: string[];
  attachments: SeenAttachment[];
  toolResults: SeenToolResult[];
};

/** The content of a request to any of the model APIs, in one shape. */
export type Conversation = {
  model: string;
  isStreaming: boolean;
  isTokenCount: boolean;
  turns: Turn[];
  tools: OfferedTool[];
  /** The JSON schema that the answer has to fit, if one is asked for. */
  answerSchema?: unknown;
};

export function makeTurn(role: Turn['role']): Turn {
  return { role, texts: [], documentTexts: [], attachments: [], toolResults: [] };
}
