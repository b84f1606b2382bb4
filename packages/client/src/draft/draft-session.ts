import type { SessionPolicy } from '@attache/contracts';
import type { StreamedEvent, UrlsAnswer } from '../answers.ts';

/** The part of a session that a draft needs. */
export type DraftSession = {
  readonly id: string;
  policy(options: { agents?: readonly string[] | undefined }): Promise<SessionPolicy>;
  events(): AsyncIterable<StreamedEvent>;
  createUrls(attachmentIds: readonly string[]): Promise<UrlsAnswer>;
};
