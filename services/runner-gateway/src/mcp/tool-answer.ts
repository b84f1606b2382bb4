import type { HandedBytes } from '../files/handed-out.ts';

/** Why a call did nothing, and whether the same call may work later. */
export type Refusal = { code: string; message: string; retryable: boolean };

/** Only text and images: several agents paste or drop everything else. */
type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/** The answer of a tool to a model. */
export type ToolAnswer = { content: Content[]; isError?: true; structuredContent?: Refusal };

/** The answer that is shown to a model, and the digest of the bytes in it. */
export type Shown = { answer: ToolAnswer; bytes: HandedBytes };

export function answerFacts(facts: Record<string, unknown>): ToolAnswer {
  return { content: [{ type: 'text', text: JSON.stringify(facts) }] };
}

export function answerRefusal({ code, message, retryable }: Refusal): ToolAnswer {
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    structuredContent: { code, message, retryable },
  };
}
