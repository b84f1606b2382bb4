import type { Right } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import type { NamedIds, NamedJson } from '../message/named-reader.ts';

/** The holder of a session token, and the state under which it was created. Ids are uuids. */
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
  /** The names in a message that it also looks up. */
  named?: NamedIds | undefined;
};

/** The limits of an upload that are known before its body, besides its caller's rights. */
export type UploadTerms = {
  /** Null where there is no such session. */
  sessionStatus: string | null;
  /** The bytes that the tenant may still reserve; null if it has no quota. */
  freeBytes: number | null;
};

/** The end of a session's log; null if there is no such session. */
export type LogTerms = { lastSeq: number } | null;

/** The data that a credential's look-up fetches ahead for the route of the request: the uuid of the session, and the kind of data. */
export type LookAhead =
  | { of: 'upload' | 'log'; sessionId: string }
  | { of: 'message'; sessionId: string; named: NamedIds };

/** The current rights of a session token's user. `urlGeneration` is that of all signed URLs of the tenant. */
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
