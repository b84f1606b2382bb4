// Other spellings of a type, and types whose files are handled as another's.
const spellings: Record<string, string> = {
  'image/apng': 'image/png',
  'image/x-png': 'image/png',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/tif': 'image/tiff',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-bmp': 'image/bmp',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-flac': 'audio/flac',
  'audio/x-aiff': 'audio/aiff',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/opus': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'video/matroska': 'video/x-matroska',
  'video/vnd.avi': 'video/x-msvideo',
  'video/avi': 'video/x-msvideo',
  'video/mp2p': 'video/mpeg',
  'video/mp1s': 'video/mpeg',
  'text/xml': 'application/xml',
  'application/x-pdf': 'application/pdf',
  'application/x-gzip': 'application/gzip',
  'application/x-zip-compressed': 'application/zip',
};

/** The one spelling of a media type that is recorded. */
export function unifyMediaType(mimeType: string): string {
  return spellings[mimeType] ?? mimeType;
}
