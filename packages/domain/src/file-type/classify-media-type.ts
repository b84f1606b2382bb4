import type { AttachmentKind } from '@attache/contracts';
import { essenceOf } from '@attache/contracts/media-type';
import { findRules } from './kind-rules.ts';

/** The kind of a media type: one whitelist for all providers (RP-10). Case and parameters do not count. */
export function classifyMediaType(mimeType: string): AttachmentKind {
  const essence = essenceOf(mimeType);
  return essence === undefined ? 'unsupported' : findRules(essence).kind;
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

/** Whether bytes of this type may be shown inside a page (under `nosniff` and a sandbox CSP); otherwise they are download-only. */
export function isInlineSafe(mimeType: string): boolean {
  const essence = essenceOf(mimeType);
  if (essence === undefined || isActiveMediaType(essence)) return false;
  return findRules(essence).isInline(essence);
}
