import type { AttachmentKind } from '@attache/contracts';

const imageTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/tiff',
]);

const audioTypes = new Set([
  'audio/wav',
  'audio/x-wav',
  'audio/wave',
  'audio/vnd.wave',
  'audio/mpeg',
  'audio/mp3',
  'audio/mp4',
  'audio/x-m4a',
  'audio/aac',
  'audio/ogg',
  'audio/opus',
  'audio/flac',
  'audio/x-flac',
  'audio/webm',
  'audio/aiff',
  'audio/x-aiff',
  'audio/amr',
  'audio/3gpp',
  'audio/x-matroska',
]);

const videoTypes = new Set([
  'video/mp4',
  'video/mpeg',
  'video/webm',
  'video/ogg',
  'video/quicktime',
  'video/x-matroska',
  'video/x-msvideo',
  'video/3gpp',
  'video/3gpp2',
  'video/mp2t',
]);

/** Subtypes of `application/` whose bytes are text; `x-` before a subtype makes no difference. */
const textualApplications = new Set([
  'ecmascript',
  'graphql',
  'javascript',
  'json',
  'json5',
  'json-seq',
  'jsonlines',
  'ndjson',
  'php',
  'httpd-php',
  'perl',
  'python',
  'ruby',
  'sh',
  'shellscript',
  'sql',
  'subrip',
  'tex',
  'toml',
  'typescript',
  'xml',
  'yaml',
]);

const textualSuffix = /\+(?:json|xml|yaml|json-seq)$/;

// Grammar of RFC 6838, which also bounds the length.
const shape = /^([a-z0-9][a-z0-9!#$&^_.+-]{0,126})\/([a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

/** A media type in lower case without its parameters; undefined where it is malformed. */
export function essenceOf(mimeType: string): string | undefined {
  const end = mimeType.indexOf(';');
  const essence = (end < 0 ? mimeType : mimeType.slice(0, end)).trim().toLowerCase();
  return shape.test(essence) ? essence : undefined;
}

/** The kind of a media type: one whitelist for all providers (RP-10). Case and parameters do not count. */
export function classifyMediaType(mimeType: string): AttachmentKind {
  const essence = essenceOf(mimeType);
  if (essence === undefined) return 'unsupported';
  if (imageTypes.has(essence)) return 'image';
  if (essence === 'application/pdf') return 'document';
  if (audioTypes.has(essence)) return 'audio';
  if (videoTypes.has(essence)) return 'video';
  return isTextual(essence) ? 'text' : 'unsupported';
}

// By structure, not by a list of text types: everything under text/ is text by definition of the tree (RFC 6838).
function isTextual(essence: string): boolean {
  if (essence.startsWith('text/')) return true;
  if (!essence.startsWith('application/')) return false;
  const subtype = essence.slice('application/'.length).replace(/^x-/, '');
  return textualApplications.has(subtype) || textualSuffix.test(subtype);
}

const activeTypes = new Set([
  'text/html',
  'text/xml',
  'text/xsl',
  'text/javascript',
  'text/ecmascript',
  'text/jscript',
  'text/livescript',
  'text/vbscript',
  'text/cache-manifest',
  'text/x-component',
  'image/svg+xml',
  'application/javascript',
  'application/x-javascript',
  'application/ecmascript',
  'application/x-ecmascript',
  'application/xml',
  'application/x-shockwave-flash',
  'application/wasm',
  'multipart/x-mixed-replace',
  'message/rfc822',
]);

/** Whether a browser may run what this type holds: such bytes are download-only. A malformed type counts as active. */
export function isActiveMediaType(mimeType: string): boolean {
  const essence = essenceOf(mimeType);
  if (essence === undefined) return true;
  return (
    activeTypes.has(essence) || /[+.](?:xml|html|xhtml)$/.test(essence) || /^text\/javascript[0-9.]*$/.test(essence)
  );
}

// What browsers show without running anything. Everything else is a download, whether known to be active or not.
const inlineTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'application/pdf',
  'text/plain',
]);

/** Whether bytes of this type may be shown inside a page (under `nosniff` and a sandbox CSP); otherwise they are download-only. */
export function isInlineSafe(mimeType: string): boolean {
  const essence = essenceOf(mimeType);
  if (essence === undefined || isActiveMediaType(essence)) return false;
  return inlineTypes.has(essence) || audioTypes.has(essence) || videoTypes.has(essence);
}
