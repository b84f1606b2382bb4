import type { ByteReference, Part } from '@attache/contracts';
import type { ByteRendering } from '../byte-rendering.ts';
import { defineFormat, type PartOf, refusePart } from '../part-format.ts';
import { writePagesHeading, writeTextFile } from '../words.ts';

type AcpResource = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

/** A content block of a prompt. */
export type AcpBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; mimeType: string; data: string }
  | { type: 'audio'; mimeType: string; data: string }
  | { type: 'resource'; resource: AcpResource };

export type AcpOptions = {
  /** The agent declared `embeddedContext`: text files in blocks of their own. */
  embedsText: boolean;
  /** Images and sound as resources too: some agents lose them next to one. */
  embedsMedia?: boolean | undefined;
};

const acp = defineFormat('acp', 'text', 'image', 'text-file', 'document', 'pages', 'audio', 'descriptor');
export const acpCarries = acp.carries;

/**
 * The prompt of an agent that speaks the Agent Client Protocol. Always base64: a link is only text to most agents.
 */
export function projectToAcp(parts: readonly Part[], rendering: ByteRendering, options: AcpOptions): AcpBlock[] {
  return parts.flatMap((part) => blocksOfPart(part, rendering, options));
}

function blocksOfPart(part: Part, rendering: ByteRendering, { embedsText, embedsMedia }: AcpOptions): AcpBlock[] {
  const mediaOf = embedsMedia ? embedMedia : nativeMedia;
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ type: 'text', text: part.text }];
    case 'image':
      return [mediaOf('image', part.bytes, rendering)];
    case 'audio':
      return [mediaOf('audio', part.bytes, rendering)];
    case 'text-file':
      if (!embedsText) return [{ type: 'text', text: writeTextFile(part, rendering) }];
      return [{ type: 'resource', resource: { ...nameResource(part), text: rendering.text(part.bytes) } }];
    case 'document':
      return [{ type: 'resource', resource: { ...nameResource(part), blob: rendering.base64(part.bytes) } }];
    case 'pages':
      return [
        { type: 'text', text: writePagesHeading(part) },
        ...part.pages.map((page) => mediaOf('image', page, rendering)),
      ];
    case 'video':
      return refusePart(acp, part);
    default:
      return part satisfies never;
  }
}

function nativeMedia(type: 'image' | 'audio', reference: ByteReference, rendering: ByteRendering): AcpBlock {
  return { type, mimeType: reference.mimeType, data: rendering.base64(reference) };
}

function embedMedia(_type: 'image' | 'audio', reference: ByteReference, rendering: ByteRendering): AcpBlock {
  const { attachmentId, variantId, mimeType } = reference;
  const uri = `attachment:${variantId ?? attachmentId}`;
  return { type: 'resource', resource: { uri, mimeType, blob: rendering.base64(reference) } };
}

/** The id keeps files of one name apart. */
function nameResource({ name, bytes }: PartOf<'text-file' | 'document'>): { uri: string; mimeType: string } {
  const encodedName = encodeURIComponent(name.toWellFormed());
  return { uri: `attachment:${bytes.attachmentId}/${encodedName}`, mimeType: bytes.mimeType };
}
