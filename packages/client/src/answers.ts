import type {
  Attachment,
  AttachmentId,
  AttachmentKind,
  AttachmentOrigin,
  Delivery,
  DeliveryPlan,
  EventData,
  EventKind,
  Message,
  SendMessageRequest,
  SessionEvent,
  StreamedDelta,
  TranscriptEntry,
  VariantPurpose,
} from '@attache/contracts';

export type { EventTicket } from '@attache/contracts';

/** An event of a session's log, with the data of its kind. A newer server may send kinds that are not here: leave them alone. */
export type LoggedEvent = {
  [K in EventKind]: Omit<SessionEvent, 'kind' | 'data'> & { kind: K; data: EventData<K> };
}[EventKind];

/** An event of a live stream: of the log, or a piece of an agent's text as it comes (`agent.delta`, without `id` and `seq`). */
export type StreamedEvent = LoggedEvent | StreamedDelta;

/** The attachment, and a URL under which it can be shown at once. */
export type UploadAnswer = { attachment: Attachment; displayUrl: string };

/** A page of a list. `nextCursor` is null on the last one. */
export type Page<T> = { items: T[]; nextCursor: string | null };
export type AttachmentPage = Page<Attachment>;
export type TranscriptPage = Page<TranscriptEntry>;

export type AttachmentQuery = {
  origin?: AttachmentOrigin;
  kind?: AttachmentKind;
  name?: string;
  /** At most 200; 50 without it. */
  limit?: number;
  cursor?: string;
};

/** A message: text, or attachments, or both. Without `to` it goes to all agents of the session. */
export type MessageDraft = Partial<Omit<SendMessageRequest, 'to' | 'attachmentIds'>> & {
  to?: readonly string[] | undefined;
  attachmentIds?: readonly string[] | undefined;
};
export type PlanDraft = Pick<MessageDraft, 'to' | 'text' | 'textMedia' | 'attachmentIds'>;

export type PlanAnswer = { plans: DeliveryPlan[] };

/** The message as it was accepted, with one delivery for each agent; `leftOut` where the sender allowed it. */
export type SentAnswer = { message: Message; deliveries: Delivery[]; leftOut?: DeliveryPlan[] };

/** A URL that reads the bytes until `expiresAt`, for whoever has it. */
export type SignedUrl = { url: string; expiresAt: string };
export type UrlOptions = { ttlSeconds?: number; disposition?: 'inline' | 'attachment' };
export type UrlsAnswer = {
  urls: (SignedUrl & { attachmentId: AttachmentId })[];
  missing: { attachmentId: AttachmentId; what: 'attachment' | 'variant' }[];
};
export type UrlsOptions = UrlOptions & { variant?: VariantPurpose };
