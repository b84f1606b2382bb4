import { magics } from './magic-numbers.ts';
import { readLatin1 } from './read-latin1.ts';
import { sniffBaseMedia, sniffOgg, sniffRiff, sniffZip } from './sniff-container.ts';
import { sniffMarkup } from './sniff-markup.ts';
import { sniffLatePdf } from './sniff-pdf.ts';

const HEAD_BYTES = 4100;

/**
 * The media type that the first bytes of a file show, undefined where they show none (plain text does not).
 * Looks at no more than 4100 bytes and decodes nothing: whether the rest is what its head says is for inspection to find.
 */
export function sniffMediaType(head: Uint8Array): string | undefined {
  const text = readLatin1(head.subarray(0, HEAD_BYTES));
  const magic = magics.find(({ at, bytes }) => text.startsWith(bytes, at));
  if (magic !== undefined) return magic.mimeType;
  return (
    sniffRiff(text) ??
    sniffBaseMedia(text) ??
    sniffOgg(text) ??
    sniffMatroska(text) ??
    sniffZip(text) ??
    sniffBitmap(text) ??
    sniffTaggedAudio(text) ??
    sniffMpegAudio(text) ??
    sniffWindowsProgram(text) ??
    sniffMarkup(text) ??
    sniffLatePdf(text)
  );
}

function sniffMatroska(text: string): string | undefined {
  if (!text.startsWith('\x1aE\xdf\xa3')) return undefined;
  const header = text.slice(0, 64);
  return header.includes('webm') ? 'video/webm' : header.includes('matroska') ? 'video/x-matroska' : undefined;
}

// `BM` alone would claim texts about cars.
function sniffBitmap(text: string): string | undefined {
  const headerBytes = text.charCodeAt(14);
  const isBitmap = text.startsWith('BM') && text.startsWith('\0\0\0\0', 6) && text.startsWith('\0\0\0', 15);
  return isBitmap && [12, 40, 52, 56, 64, 108, 124].includes(headerBytes) ? 'image/bmp' : undefined;
}

// Sound follows the tag, whose length has seven bits in a byte. Behind a long tag it is taken for what most is.
function sniffTaggedAudio(text: string): string | undefined {
  if (!text.startsWith('ID3') || ![2, 3, 4].includes(text.charCodeAt(3))) return undefined;
  const tagBytes = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + text.charCodeAt(at), 0);
  return sniffMpegAudio(text.slice(10 + tagBytes)) ?? 'audio/mpeg';
}

const layerTypes = [undefined, 'audio/mpeg', 'audio/mp2', 'audio/mp1'];

// A frame of MPEG audio, named by its layer, or an ADTS frame. One form of layer I begins as the byte order mark of UTF-16 does.
function sniffMpegAudio(text: string): string | undefined {
  if (text.length < 4 || text.charCodeAt(0) !== 0xff) return undefined;
  const second = text.charCodeAt(1);
  const third = text.charCodeAt(2);
  if ((second & 0xf6) === 0xf0) return 'audio/aac';
  const isFrame = (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && second !== 0xfe;
  const bitrate = third >> 4;
  const isPlausible = isFrame && bitrate > 0 && bitrate < 15 && (third & 0x0c) !== 0x0c;
  return isPlausible ? layerTypes[(second >> 1) & 3] : undefined;
}

function sniffWindowsProgram(text: string): string | undefined {
  if (!text.startsWith('MZ') || text.length < 64) return undefined;
  const headerAt = text.charCodeAt(60) + text.charCodeAt(61) * 256;
  return text.startsWith('PE\0\0', headerAt) ? 'application/vnd.microsoft.portable-executable' : undefined;
}
