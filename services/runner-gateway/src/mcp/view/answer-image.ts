import type { ToolAnswer } from '../tool-answer.ts';

type ShownImage = { bytes: Buffer; mimeType: string };

/** An image with what is said of it. A model sees it, so the bytes go in base64 here and nowhere else of the gateway. */
export function answerImage({ bytes, mimeType }: ShownImage, facts: Record<string, unknown>): ToolAnswer {
  return {
    content: [
      { type: 'image', data: bytes.toString('base64'), mimeType },
      { type: 'text', text: JSON.stringify(facts) },
    ],
  };
}
