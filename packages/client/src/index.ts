export type * from './answers.ts';
export type { AttachmentClient } from './attachment-client.ts';
export { type Client, type ClientOptions, createClient, type DeliveryClient } from './client.ts';
export type {
  Draft,
  DraftError,
  DraftItem,
  DraftOptions,
  DraftPhase,
  DraftSnapshot,
  ImageContent,
  ReduceImage,
  Rejection,
  RejectionCode,
} from './draft/draft-types.ts';
export {
  type AnyAttacheError,
  AttacheError,
  type AttacheErrorDetails,
  type AttacheErrorOf,
  isAttacheError,
} from './errors/attache-error.ts';
export type { AttacheErrorCode, ClientErrorCode } from './errors/error-codes.ts';
export type { FollowOptions, FollowStatus } from './events/follow-stream.ts';
export { createIdempotencyKey } from './request/idempotency-key.ts';
export type { Requester } from './request/requester.ts';
export type { GetToken } from './request/token-keeper.ts';
export type { SessionClient } from './session-client.ts';
export type {
  StreamedFile,
  UploadFile,
  UploadJob,
  UploadOptions,
  UploadProgress,
  UploadWay,
} from './upload/upload-way.ts';
export { uploadAttachment } from './upload-attachment.ts';
