import { createHash } from 'node:crypto';
import type { ContentBlock } from '@agentclientprotocol/sdk';

export type ReceivedImage = { type: 'image'; mimeType: string; bytes: Buffer; sha256: string };
export type ReceivedText = { type: 'text-file'; uri: string; mimeType: string; text: string; sha256: string };
export type ReceivedDocument = { type: 'document'; uri: string; mimeType: string; bytes: Buffer; sha256: string };
export type ReceivedSound = { type: 'audio'; mimeType: string; bytes: Buffer; sha256: string };
export type ReceivedFile = ReceivedImage | ReceivedText | ReceivedDocument | ReceivedSound;

/** The content of one prompt, as it arrived. */
export type ReceivedPrompt = { text: string; files: ReceivedFile[] };

/** A record of the conversation so far, from one line to the other. */
const HISTORY = /^\[history ([0-9a-f]{64})\]\n.*\n\[end of history \1\]$/s;

export function readPrompt(blocks: readonly ContentBlock[]): ReceivedPrompt {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  // The history is no request: nothing of it is done again.
  const text = texts.filter((each) => !HISTORY.test(each)).join('\n');
  return { text, files: blocks.flatMap((block) => fileOf(block) ?? []) };
}

function fileOf(block: ContentBlock): ReceivedFile | undefined {
  if (block.type === 'image' || block.type === 'audio') {
    const { type, mimeType, data } = block;
    return { type, mimeType, ...decode(data) };
  }
  if (block.type !== 'resource') return undefined;
  const { uri, mimeType } = block.resource;
  if ('blob' in block.resource)
    return { type: 'document', uri, mimeType: mimeType ?? 'application/octet-stream', ...decode(block.resource.blob) };
  const { text } = block.resource;
  return { type: 'text-file', uri, mimeType: mimeType ?? 'text/plain', text, sha256: sha256Of(text) };
}

function decode(base64: string): { bytes: Buffer; sha256: string } {
  const bytes = Buffer.from(base64, 'base64');
  return { bytes, sha256: sha256Of(bytes) };
}

export function sha256Of(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

export type Marker = { id: string; mimeType: string; name: string };

const MARKER = /^\[attachment id=(att_[A-Za-z0-9_-]{22}) type=(\S+) name=("(?:[^"\\]|\\.)*")\]$/gm;

/** The markers of a text, each on a line of its own (AT-28). */
export function readMarkers(text: string): Marker[] {
  return [...text.matchAll(MARKER)].flatMap(([, id = '', mimeType = '', name = '""']) => {
    try {
      return [{ id, mimeType, name: String(JSON.parse(name)) }];
    } catch {
      return [];
    }
  });
}
