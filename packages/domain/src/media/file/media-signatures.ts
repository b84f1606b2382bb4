import { judgeMpegAudio } from './mpeg-audio.ts';

/** The media type that a head in Latin-1 shows, `more` where it is too short to say, undefined where it shows none. */
export type SignatureJudge = (text: string) => string | undefined;

/** `start` is what the file begins with, at least two bytes; `judge` its type, or what looks further. */
export type Signature = { start: string; judge: string | SignatureJudge };

const byte = (text: string, at: number): number => text.charCodeAt(at);

/** Returns `more` for heads that are shorter than what is looked at. */
function from(bytes: number, judge: SignatureJudge): SignatureJudge {
  return (text) => (text.length < bytes ? 'more' : judge(text));
}

const jpeg = from(4, (text) => (byte(text, 3) >= 0xc0 && byte(text, 3) !== 0xff ? 'image/jpeg' : undefined));

// Its name is all letters: a text may begin with it, and then continues as a text.
const gif = from(24, (text) => (/^[\t\n\r -~]{24}/.test(text) ? undefined : 'image/gif'));

const riffForms: Record<string, string> = { WEBP: 'image/webp', WAVE: 'audio/wav', 'AVI ': 'video/x-msvideo' };
const riff = from(12, (text) => riffForms[text.slice(8, 12)]);
const aiff = from(12, (text) => (/^AIF[FC]$/.test(text.slice(8, 12)) ? 'audio/aiff' : undefined));

const brands: readonly (readonly [RegExp, string])[] = [
  [/^avi[fs]/, 'image/avif'],
  [/^(?:hei[cxms]|hev[cxms])/, 'image/heic'],
  [/^(?:mif1|msf1)/, 'image/heif'],
  [/^qt {2}/, 'video/quicktime'],
  [/^M4[AB] /, 'audio/mp4'],
  [/^3g/, 'video/3gpp'],
  [/^[ -~]{4}/, 'video/mp4'],
];

/** MP4 and its relatives: a box of known name, its size before it. */
const baseMedia = from(12, (text) => {
  const box = text.slice(4, 8);
  if (/^(?:moov|mdat|wide|free|skip)$/.test(box)) return 'video/quicktime';
  return box === 'ftyp' ? brands.find(([brand]) => brand.test(text.slice(8, 12)))?.[1] : undefined;
});

const ogg = from(36, (text) => {
  if (byte(text, 4) !== 0 || byte(text, 5) > 7) return undefined;
  return text.startsWith('\x80theora', 27 + byte(text, 26)) ? 'video/ogg' : 'audio/ogg';
});

const matroska = from(48, (text) => {
  const header = text.slice(0, 64);
  return header.includes('webm') ? 'video/webm' : header.includes('matroska') ? 'video/x-matroska' : undefined;
});

const pdf = from(8, (text) => (/^(?:\xef\xbb\xbf)?%PDF-\d/.test(text) ? 'application/pdf' : undefined));

const bitmap = from(18, (text) => {
  const isBitmap = text.startsWith('\0\0\0\0', 6) && text.startsWith('\0\0\0', 15);
  return isBitmap && [12, 40, 52, 56, 64, 108, 124].includes(byte(text, 14)) ? 'image/bmp' : undefined;
});

/** Count of pictures, and of the first its reserved byte, planes, depth, size and where it begins. */
const icon = from(22, (text) => {
  const count = byte(text, 4);
  const isIcon = count > 0 && byte(text, 5) === 0 && byte(text, 9) === 0 && byte(text, 10) <= 1 && byte(text, 11) === 0;
  const at = byte(text, 18) + byte(text, 19) * 256;
  return isIcon && byte(text, 12) <= 32 && at === 6 + 16 * count ? 'image/vnd.microsoft.icon' : undefined;
});

const id3 = from(10, (text) => {
  const hasSize = [6, 7, 8, 9].every((at) => byte(text, at) < 0x80);
  return byte(text, 3) >= 2 && byte(text, 3) <= 4 && byte(text, 4) < 0xff && hasSize ? 'audio/mpeg' : undefined;
});

const flac = from(8, (text) => (/^fLaC[\0\x80]\0\0\x22/.test(text) ? 'audio/flac' : undefined));

const tiff = from(8, (text) => {
  const offset = text.startsWith('II') ? byte(text, 4) : byte(text, 7);
  return offset >= 8 || text.charAt(2) === '+' || text.charAt(3) === '+' ? 'image/tiff' : undefined;
});

const zipNames: readonly (readonly [RegExp, string])[] = [
  [/^mimetypeapplication\/epub\+zip/, 'application/epub+zip'],
  [/^mimetypeapplication\/vnd\.oasis\.opendocument\.text/, 'application/vnd.oasis.opendocument.text'],
];

/** A local header: the version that is needed, and a method that is in use. */
const zip = from(30, (text) => {
  const method = byte(text, 8) + byte(text, 9) * 256;
  if (byte(text, 4) > 63 || ![0, 8, 9, 12, 14, 93, 95, 99].includes(method)) return undefined;
  return zipNames.find(([name]) => name.test(text.slice(30, 120)))?.[1] ?? 'application/zip';
});

// Frame headers of MPEG layer III in its three versions, and of ADTS.
const frames = ['\xff\xfb', '\xff\xfa', '\xff\xf3', '\xff\xf2', '\xff\xe3', '\xff\xe2', '\xff\xf1', '\xff\xf9'];

/** Every file format that is media: images, PDF, sound, video, and the archives that office documents are. */
export const signatures: readonly Signature[] = [
  { start: '\x89PNG\r\n\x1a\n', judge: 'image/png' },
  { start: '\xff\xd8\xff', judge: jpeg },
  { start: 'GIF87a', judge: gif },
  { start: 'GIF89a', judge: gif },
  { start: 'RIFF', judge: riff },
  { start: 'FORM', judge: aiff },
  { start: '\0\0\0\x0cJXL \r\n\x87\n', judge: 'image/jxl' },
  { start: '\0\0\0\x0cjP  \r\n\x87\n', judge: 'image/jp2' },
  { start: '\0\0\x01\0', judge: icon },
  { start: '\0\0\x01\xba', judge: from(6, (text) => (byte(text, 4) >= 0x21 ? 'video/mpeg' : undefined)) },
  { start: '\0\0\x01\xb3', judge: from(12, (text) => (byte(text, 7) >> 4 <= 4 ? 'video/mpeg' : undefined)) },
  { start: '\0\0', judge: baseMedia },
  { start: 'OggS', judge: ogg },
  { start: '\x1aE\xdf\xa3', judge: matroska },
  { start: '%PDF-', judge: pdf },
  { start: '\xef\xbb\xbf%PDF-', judge: pdf },
  { start: 'II*\0', judge: tiff },
  { start: 'MM\0*', judge: tiff },
  { start: 'II+\0', judge: tiff },
  { start: 'MM\0+', judge: tiff },
  { start: 'BM', judge: bitmap },
  { start: '8BPS\0\x01', judge: 'image/vnd.adobe.photoshop' },
  { start: 'ID3', judge: id3 },
  { start: 'fLaC', judge: flac },
  { start: '0&\xb2u\x8ef\xcf\x11', judge: 'video/x-ms-asf' },
  { start: 'FLV\x01', judge: 'video/x-flv' },
  { start: 'PK\x03\x04', judge: zip },
  { start: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', judge: 'application/x-cfb' },
  ...frames.map((start) => ({ start, judge: judgeMpegAudio })),
];
