import type { Right } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import type { NamedIds, NamedJson } from '../message/named-reader.ts';

/** Whose a session token is, and what it was made under. Ids are uuids. */
export type TokenHolder = {
  tenantId: string;
  sessionId: string;
  userId: string;
  sessionGeneration: number;
  participantGeneration: number;
  /** The API key that made it; undefined for a token from before that was kept. */
  keyId?: string | undefined;
  /** Whether it is also asked by what an upload to the session would be refused. */
  isUpload?: boolean | undefined;
  /** Whether it is also asked where the session's log ends. */
  isLog?: boolean | undefined;
  /** What it is also asked for that a message names. */
  named?: NamedIds | undefined;
};

/** What is known of an upload before its body, beside its caller's rights. */
export type UploadTerms = {
  /** Null where there is no such session. */
  sessionStatus: string | null;
  /** What the tenant may still reserve; null where it has no quota. */
  freeBytes: number | null;
};

/** Where a session's log ends; null where there is no such session. */
export type LogTerms = { lastSeq: number } | null;

/** What the look-up of a credential answers for the route that it came to: uuid of the session, and what of it. */
export type LookAhead =
  | { of: 'upload' | 'log'; sessionId: string }
  | { of: 'message'; sessionId: string; named: NamedIds };

/** What a session token's user may do now. `urlGeneration` is that of all signed URLs of the tenant. */
export type FoundHolder = {
  rights: Right[];
  maxUploadBytes: number | null;
  urlGeneration: number;
  isSessionEnded: boolean;
  upload?: UploadTerms | undefined;
  log?: LogTerms | undefined;
  named?: NamedJson | null | undefined;
};

/** One round trip. Null where session, participant or tenant is gone, the tenant is suspended, or the token has ended. */
export async function findTokenHolder(db: Database, holder: TokenHolder): Promise<FoundHolder | null> {
  return db.call(sql`select attache_find_token_holder(${JSON.stringify(holder)}::jsonb)`, {
    tenantId: holder.tenantId,
  });
}
