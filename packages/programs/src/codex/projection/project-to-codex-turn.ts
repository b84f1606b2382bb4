import type { ByteReference, Part } from '@attache/contracts';
import { type ByteRendering, writeDataUrl } from '@attache/projections';
import { defineFormat, refusePart } from '@attache/projections/part-format';
import { writePagesHeading, writeTextFile } from '@attache/projections/words';

/** An item of `input` of `turn/start` and `turn/steer`. */
export type CodexInput =
  | { type: 'text'; text: string; text_elements: [] }
  | { type: 'image' | 'audio'; url: string }
  | { type: 'localImage' | 'localAudio'; path: string };

const codexTurn = defineFormat('codex-app-server', 'text', 'image', 'text-file', 'pages', 'audio', 'descriptor');
export const codexTurnCarries = codexTurn.carries;

/** Input of a turn of `codex app-server`: by path where there is one, else a data URL. Others are refused (seen with Codex 0.169.0). */
export function projectToCodexTurn(parts: readonly Part[], rendering: ByteRendering): CodexInput[] {
  return parts.flatMap((part) => inputsOfPart(part, rendering));
}

function inputsOfPart(part: Part, rendering: ByteRendering): CodexInput[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [textOf(part.text)];
    case 'image':
      return [imageOf(part.bytes, rendering)];
    case 'text-file':
      return [textOf(writeTextFile(part, rendering))];
    case 'pages':
      return [textOf(writePagesHeading(part)), ...part.pages.map((page) => imageOf(page, rendering))];
    case 'audio':
      return [audioOf(part.bytes, rendering)];
    case 'document':
    case 'video':
      return refusePart(codexTurn, part);
    default:
      return part satisfies never;
  }
}

function textOf(text: string): CodexInput {
  return { type: 'text', text, text_elements: [] };
}

function imageOf(reference: ByteReference, rendering: ByteRendering): CodexInput {
  if (rendering.path !== undefined) return { type: 'localImage', path: rendering.path(reference) };
  return { type: 'image', url: writeDataUrl(reference, rendering) };
}

function audioOf(reference: ByteReference, rendering: ByteRendering): CodexInput {
  if (rendering.path !== undefined) return { type: 'localAudio', path: rendering.path(reference) };
  return { type: 'audio', url: writeDataUrl(reference, rendering) };
}
