import type { AttachmentKind } from '@attache/contracts';

// Browsers know no type for many of these. The server looks at the bytes; this is only for what is said before it has them.
const typesOfEndings: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ avif: 'image/avif', heic: 'image/heic', heif: 'image/heif', svg: 'image/svg+xml', bmp: 'image/bmp' },
  ...{ pdf: 'application/pdf', mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', m4a: 'audio/mp4' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', mov: 'video/quicktime', mkv: 'video/x-matroska' },
  ...{ txt: 'text/plain', md: 'text/markdown', csv: 'text/csv', html: 'text/html', json: 'application/json' },
};
const textTypes = /^(text\/|application\/(json|xml|yaml|toml|javascript|x-(sh|yaml|ndjson))|.*\+(json|xml)$)/;
const documentTypes = /^application\/(pdf|msword|vnd\.|rtf|epub)/;

/** The media type of a file: as its system says, or as its name ends. Empty where neither tells. */
export function guessMimeType(name: string, said: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const [type = ''] = said.split(';');
  return type.trim().toLowerCase() || (typesOfEndings[ending] ?? '');
}

/** The kind that a file is likely to be to a model; `unsupported` where the media type does not tell. */
export function guessKind(mimeType: string): AttachmentKind {
  const [family] = mimeType.split('/');
  if (mimeType === 'image/svg+xml' || textTypes.test(mimeType)) return 'text';
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  return documentTypes.test(mimeType) ? 'document' : 'unsupported';
}
