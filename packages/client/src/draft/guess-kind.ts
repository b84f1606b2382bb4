import type { AttachmentKind } from '@attache/contracts';

// Browsers know no type for many of these. The server looks at the bytes; this is only for what is said before it has them.
const typesOfEndings: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ avif: 'image/avif', heic: 'image/heic', heif: 'image/heif', svg: 'image/svg+xml', bmp: 'image/bmp' },
  ...{ pdf: 'application/pdf', mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', m4a: 'audio/mp4' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', mov: 'video/quicktime', mkv: 'video/x-matroska' },
  ...{ txt: 'text/plain', md: 'text/markdown', csv: 'text/csv', html: 'text/html', json: 'application/json' },
  ...{
    zip: 'application/zip',
    doc: 'application/msword',
    epub: 'application/epub+zip',
    exe: 'application/x-msdownload',
  },
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};
const textTypes = /^(text\/|application\/(json|xml|yaml|toml|javascript|x-(sh|yaml|ndjson))|.*\+(json|xml)$)/;
/** Formats that no model takes as they are, and that are not converted: agents read them by a tool, or not at all. */
const closedTypes =
  /^(image\/svg\+xml|application\/((x-)?zip|gzip|x-(tar|7z|rar|msdownload)|vnd\.(rar|ms-|openxmlformats|oasis)|msword|epub))/;
/** Systems take source code for a stream of video. */
const typescript = /\.[mc]?ts$/i;

/** The media type of a file: as its system says, or as its name ends. Empty where neither tells. */
export function guessMimeType(name: string, said: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (said === 'video/mp2t' && typescript.test(name)) return '';
  const [type = ''] = said.split(';');
  return type.trim().toLowerCase() || (typesOfEndings[ending] ?? '');
}

/** The kind that a file is likely to be to a model; `unsupported` where the media type does not tell. */
export function guessKind(mimeType: string): AttachmentKind {
  const [family] = mimeType.split('/');
  if (isClosedType(mimeType)) return 'unsupported';
  if (textTypes.test(mimeType)) return 'text';
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  return mimeType === 'application/pdf' ? 'document' : 'unsupported';
}

export const isClosedType = (mimeType: string): boolean => closedTypes.test(mimeType);
