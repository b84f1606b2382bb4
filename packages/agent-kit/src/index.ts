export { formatMarker, type Marker, parseMarkers } from '@attache/contracts';
export type { AttachmentHandle, BytesOptions } from './attachment-handle.ts';
export type { Environment } from './config.ts';
export * from './errors.ts';
export type { OutputRequest } from './put-output.ts';
export * from './tool-context.ts';
