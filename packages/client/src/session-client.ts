import type { EventTicket, Session, SessionPolicy, TranscriptEntry } from '@attache/contracts';
import type {
  AttachmentPage,
  AttachmentQuery,
  MessageDraft,
  PlanAnswer,
  PlanDraft,
  SentAnswer,
  StreamedEvent,
  TranscriptPage,
  UploadAnswer,
  UrlsAnswer,
  UrlsOptions,
} from './answers.ts';
import { createDraft } from './draft/draft.ts';
import type { Draft, DraftOptions } from './draft/draft-types.ts';
import { type FollowOptions, followStream } from './events/follow-stream.ts';
import type { Requester } from './request/requester.ts';
import { uploadFile } from './upload/upload-file.ts';
import type { UploadFile, UploadOptions, UploadWay } from './upload/upload-way.ts';

type Abortable = { signal?: AbortSignal | undefined };

export type SessionClient = {
  readonly id: string;
  read(options?: Abortable): Promise<Session>;
  /** The types and limits of messages to these agents, or to all, as of now. */
  policy(options?: Abortable & { agents?: readonly string[] | undefined }): Promise<SessionPolicy>;
  attachments(query?: AttachmentQuery): Promise<AttachmentPage>;
  /** Uploads one file. A file that the server accepts may still be `pending` or be rejected by its inspection. */
  upload(file: UploadFile, options?: UploadOptions): Promise<UploadAnswer>;
  /** The files of a message that is not sent yet. */
  createDraft(options?: DraftOptions): Draft;
  /** Plans a message for each agent and sends nothing. */
  plan(message: PlanDraft, options?: Abortable): Promise<PlanAnswer>;
  /** Rejects with `DELIVERY_BLOCKED`, with failures and plans, where an agent cannot take the message. */
  send(message: MessageDraft, options?: Abortable & { idempotencyKey?: string | undefined }): Promise<SentAnswer>;
  /** The session log as it grows. Resumes by itself; a kind of a newer server is passed as it is. */
  events(options?: FollowOptions): AsyncGenerator<StreamedEvent, void, undefined>;
  /** A page of the log, folded for people. `after` is a seq, or the `nextCursor` of the page before. */
  transcript(options?: Abortable & { after?: number | string; limit?: number }): Promise<TranscriptPage>;
  followTranscript(options?: FollowOptions): AsyncGenerator<TranscriptEntry, void, undefined>;
  /** Signed URLs of up to 100 attachments. */
  createUrls(attachmentIds: readonly string[], options?: UrlsOptions): Promise<UrlsAnswer>;
  /** A ticket for one `EventSource`, which can send no token. */
  createTicket(): Promise<EventTicket>;
  /** Asks the turn that an agent is in to end. */
  interrupt(agentId: string): Promise<void>;
  /** Ends the session and stops its agents. */
  end(): Promise<void>;
};

export type SessionDeps = { requester: Requester; ways: readonly UploadWay[] };

export function createSessionClient(deps: SessionDeps, id: string): SessionClient {
  const { requester } = deps;
  const path = `/sessions/${encodeURIComponent(id)}`;
  const post = <T>(place: string, body: unknown, options: Abortable & { idempotencyKey?: string | undefined } = {}) =>
    requester.call<T>({ method: 'POST', path: `${path}${place}`, body, ...options });
  const read = async ({ signal }: Abortable = {}) =>
    (await requester.call<{ session: Session }>({ path, signal })).session;
  const address = async (to: readonly string[] | undefined, options?: Abortable) =>
    to ?? (await read(options)).agents.map((agent) => agent.id);
  const session: SessionClient = {
    id,
    read,
    async policy({ agents, signal } = {}) {
      const query = { agents: agents?.join(',') };
      return (await requester.call<{ policy: SessionPolicy }>({ path: `${path}/policy`, query, signal })).policy;
    },
    attachments: (query) => requester.call({ path: `${path}/attachments`, query }),
    upload: (file, options) => uploadFile({ ...deps, sessionId: id }, file, options),
    createDraft: (options) => createDraft({ ...deps, session }, options),
    async plan({ attachmentIds = [], ...message }, options) {
      return post('/plan', { ...message, attachmentIds, to: await address(message.to, options) }, options);
    },
    async send(message, options) {
      return post('/messages', { ...message, to: await address(message.to, options) }, options);
    },
    events: (options) => followStream({ requester, path: `${path}/events` }, options),
    transcript: ({ after, limit, signal } = {}) =>
      requester.call({ path: `${path}/transcript`, query: { after, limit }, signal }),
    followTranscript: (options) => followStream({ requester, path: `${path}/transcript` }, options),
    createUrls: (attachmentIds, options = {}) => post('/urls', { attachmentIds, ...options }),
    createTicket: () => post('/events/tickets', undefined),
    interrupt: (agentId) => post('/interrupt', { agentId }),
    end: () => post('/end', undefined),
  };
  return session;
}
