// Formats whose first bytes name a container, and a few bytes further what is in it. Texts are Latin-1, one character per byte.

/** WebP, WAV, AVI, AIFF, and a Video CD as its sectors. */
export function sniffRiff(text: string): string | undefined {
  const form = text.slice(8, 12);
  if (text.startsWith('FORM')) return form === 'AIFF' || form === 'AIFC' ? 'audio/aiff' : undefined;
  if (!text.startsWith('RIFF')) return undefined;
  return riffForms[form];
}

const riffForms: Record<string, string> = {
  WEBP: 'image/webp',
  WAVE: 'audio/wav',
  'AVI ': 'video/x-msvideo',
  CDXA: 'video/mpeg',
};

const brands: Record<string, string> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  heim: 'image/heic',
  heis: 'image/heic',
  hevc: 'image/heic',
  hevx: 'image/heic',
  'qt  ': 'video/quicktime',
  'M4A ': 'audio/mp4',
  'M4B ': 'audio/mp4',
};

/** MP4 and its relatives: QuickTime, M4A, AVIF, HEIC. The brands in their first box distinguish them. */
export function sniffBaseMedia(text: string): string | undefined {
  // Every such file begins with the size of a small box; text never begins with a zero byte.
  if (!text.startsWith('\0')) return undefined;
  const box = text.slice(4, 8);
  if (['moov', 'mdat', 'wide', 'free', 'skip'].includes(box)) return 'video/quicktime';
  if (box !== 'ftyp') return undefined;
  const major = text.slice(8, 12);
  if (major.startsWith('3g')) return 'video/3gpp';
  if (brands[major] !== undefined) return brands[major];
  if (major !== 'mif1' && major !== 'msf1') return 'video/mp4';
  // A general image brand: the compatible brands say more. Their box is read no further than a few of them.
  const boxBytes = text.charCodeAt(2) * 256 + text.charCodeAt(3);
  const compatible = text.slice(16, Math.min(boxBytes, 80)).match(/.{4}/gs) ?? [];
  return compatible.map((brand) => brands[brand]).find((found) => found !== undefined) ?? 'image/heif';
}

/** Ogg, by the codec of its first page. */
export function sniffOgg(text: string): string | undefined {
  if (!text.startsWith('OggS\0')) return undefined;
  const codecAt = 27 + text.charCodeAt(26);
  if (text.startsWith('\x80theora', codecAt)) return 'video/ogg';
  const isAudio = ['OpusHead', '\x01vorbis', '\x7fFLAC', 'Speex   '].some((codec) => text.startsWith(codec, codecAt));
  return isAudio ? 'audio/ogg' : 'application/ogg';
}

const openXml = 'application/vnd.openxmlformats-officedocument';
const officeFolders: [folder: string, mimeType: string][] = [
  ['word/', `${openXml}.wordprocessingml.document`],
  ['xl/', `${openXml}.spreadsheetml.sheet`],
  ['ppt/', `${openXml}.presentationml.presentation`],
];

// Only these: an archive must not name itself a script or a text.
const selfNamed = /^mimetype(application\/(?:epub\+zip|vnd\.oasis\.opendocument\.[a-z-]{1,40}))/;

/** Zip archives and what is made of them: OpenDocument and EPUB name themselves, Office files by the folders within. */
export function sniffZip(text: string): string | undefined {
  if (text.startsWith('PK\x05\x06')) return 'application/zip';
  if (!text.startsWith('PK\x03\x04')) return undefined;
  const named = selfNamed.exec(text.slice(30, 140))?.[1];
  if (named !== undefined) return named;
  const isOffice = ['[Content_Types].xml', '_rels/', 'docProps/'].some((name) => text.startsWith(name, 30));
  const office = isOffice ? officeFolders.find(([folder]) => text.includes(folder, 30)) : undefined;
  return office?.[1] ?? 'application/zip';
}
