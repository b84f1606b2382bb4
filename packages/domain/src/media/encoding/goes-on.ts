import type { MediaEnd } from '../file/media-end.ts';
import { sniffMedia } from '../file/sniff-media.ts';
import { isMixed, isWordy, type LinePreview } from '../preview-line.ts';
import { beginsLikeMedia, decodeHead } from '../spelled-heads.ts';
import { base64Values, NO_VALUE } from './base64-values.ts';

/** The lines of an encoding so far. */
export type Lines = {
  /** The complete lines, including the one before the gap. */
  count: number;
  /** Characters of a full line; of the one before the gap where there is only that. */
  width: number;
  /** Characters of the line before the gap. */
  lastUnits: number;
  /** The next line is indented as the others are. */
  isIndented: boolean;
};

/** The state of the file's structure at the place that has been read. */
export type Structure = {
  end: MediaEnd;
  /** Bytes that must still come, those of an incomplete group among them. */
  missingBytes: number;
  /** Characters of that group. */
  openUnits: number;
  /** Whether the file continues with these bytes; undefined where nothing is known of its structure. */
  goesOnWith: ((head: Uint8Array) => boolean | undefined) | undefined;
};

const LONG_LINE = 40;
const SHORT_LINE = 16;
/** To see how a file continues. */
const HEAD_UNITS = 16;

/**
 * Whether base64 continues behind a gap. Any word is spelled in characters of base64, so it is the file's own structure that says whether it is
 * over; where that says nothing, the lines do: all but the last are equally long.
 */
export function goesOn(lines: Lines, line: LinePreview, structure: Structure, hasBreak: boolean): boolean {
  if (line.units === 0) return false;
  const isFull = hasBreak && line.isWhole && line.units === lines.width && lines.lastUnits === lines.width;
  if (structure.end === 'done')
    return isFull && lines.count > 1 && line.units >= SHORT_LINE && !beginsMedia(line, false);
  if (structure.end === 'open') return isExpected(lines, line, structure, hasBreak);
  // A boundary of mail begins with two characters of the url-safe alphabet.
  if (!hasBreak || (line.text.startsWith('--') && !isFull)) return false;
  const head = structure.goesOnWith && decodeHead(line.text.slice(0, HEAD_UNITS));
  const isSaid = head && structure.goesOnWith?.(head);
  if (isSaid === true) return head?.[0] === 0 || !beginsMedia(line, lines.count === 1);
  if (isSaid === false || beginsMedia(line, lines.count === 1)) return false;
  return isFull || (line.units >= LONG_LINE && isMixed(line.text)) || isLastLine(lines, line, structure.openUnits);
}

/** There must be more: only a word that is too short for what is missing is not part of it. */
function isExpected(lines: Lines, line: LinePreview, structure: Structure, hasBreak: boolean): boolean {
  const bytes = Math.floor((structure.openUnits + line.units) * 0.75);
  if (bytes === structure.missingBytes) return true;
  if (line.isWhole && line.units > SHORT_LINE) return true;
  if (!line.isWhole) return hasBreak && (lines.count > 1 ? !isWordy(line.text) : isMixed(line.text));
  return bytes >= structure.missingBytes || line.units === lines.width || line.isPadded || !isWordy(line.text);
}

/** Whether the line is shorter than the others, of which at least two must be full. */
function isLastLine(lines: Lines, line: LinePreview, openUnits: number): boolean {
  if (line.units > lines.width || lines.lastUnits !== lines.width) return false;
  if (line.isPadded || (lines.count > 1 && (line.isClosed || (lines.isIndented && line.isWhole)))) return true;
  const isLikeBase64 = isMixed(line.text);
  if (lines.count === 1) return line.isWhole && line.units >= SHORT_LINE && isLikeBase64;
  if (!line.isWhole) return isLikeBase64;
  return !isWordy(line.text) || endsAsEncoded(line, openUnits);
}

/** In an incomplete last group, an encoder leaves the last bits zero; few words do. */
function endsAsEncoded({ text }: LinePreview, openUnits: number): boolean {
  const units = (openUnits + text.length) % 4;
  const last = base64Values[text.charCodeAt(text.length - 1)] ?? NO_VALUE;
  return units >= 2 && (last & (units === 2 ? 15 : 3)) === 0;
}

/** `isLikely`: what only may be media is enough. */
function beginsMedia({ text }: LinePreview, isLikely: boolean): boolean {
  if (text.length < 4) return false;
  const [first = 0, second = 0, third = 0] = decodeHead(text.slice(0, 4)) ?? [];
  if (!beginsLikeMedia(first, second, third)) return false;
  const { status } = sniffMedia(decodeHead(text) ?? noBytes, false);
  return status === 'known' || (isLikely && status === 'more');
}

const noBytes = new Uint8Array(0);
