import { type Actor, Fault, type Right } from '@attache/contracts';
import {
  type LogTerms,
  type LookAhead,
  type Named,
  type NamedIds,
  type NamedJson,
  sessionEnded,
  toNamed,
  type UploadTerms,
} from '@attache/database';

/** The longest lifetime of a URL that is signed for a session token. */
export const TOKEN_URL_SECONDS = 24 * 3600;

/** The terms of a caller's signed URLs. `isRefused`: the session of its token has ended. */
export type UrlTerms = { tenantGeneration: number; maxLifetimeSeconds: number; isRefused: boolean };

/** Who calls, as the credential says. A body, header or path never names a tenant. */
export type Caller = {
  tenantId: string;
  actor: Actor;
  /** Who that is over rotations of its key: one principal's repeated request gets its own answer, and nobody else does. */
  principal: string;
  rights: ReadonlySet<Right>;
  /** Uuid of the one session that a session token opens; undefined for an API key. */
  onlySessionId: string | undefined;
  /** A trusted platform's `traceparent` becomes the parent; anyone else's only a link (BX-12). */
  isTrusted: boolean;
  /** The tenant's own upload limit; undefined for the default. */
  maxUploadBytes: number | undefined;
  urls: UrlTerms;
  /** Set if the credential was looked up for an upload. */
  upload?: UploadTerms | undefined;
  /** Set if it was looked up for the log of a session. */
  log?: LogTerms | undefined;
  /** Set if it was looked up for a message, until that message is planned. */
  named?: NamedAhead | undefined;
};

/** The ids in a message, and the rows behind them when its caller was looked up. */
type NamedAhead = { ids: NamedIds; found: NamedJson };

export function nameAhead(ahead: LookAhead | undefined, found: NamedJson | null | undefined): NamedAhead | undefined {
  return ahead?.of === 'message' && found ? { ids: ahead.named, found } : undefined;
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((id, index) => id === others[index]);

/** Takes, once, the rows that the look-up of the caller found for these ids. Undefined if it looked for others, or if they were taken before and may be old. */
export function takeNamed(caller: Caller, { sessionId, agentIds, attachmentIds }: NamedIds): Named | undefined {
  const { named } = caller;
  caller.named = undefined;
  if (!named || named.ids.sessionId !== sessionId || !areSame(named.ids.agentIds, agentIds)) return undefined;
  return areSame(named.ids.attachmentIds, attachmentIds) ? toNamed(named.found) : undefined;
}

/** Whether the caller may know that a session exists. */
export function canSeeSession(caller: Caller, sessionId: string): boolean {
  return caller.onlySessionId === undefined || caller.onlySessionId === sessionId;
}

/** Refuses a caller who may see the thing but lacks the right. */
export function assertRight(caller: Caller, right: Right): void {
  if (caller.rights.has(right)) return;
  throw new Fault('FORBIDDEN', `This credential lacks the right ${right}. Use one that has it.`);
}

/** Refuses a signed URL to a token of a session that has ended. */
export function assertMayHaveUrls(caller: Caller): void {
  if (caller.urls.isRefused) throw sessionEnded();
}

/** Refuses a caller who would give somebody a right that the caller lacks. */
export function assertMayGive(caller: Caller, rights: readonly Right[]): void {
  const beyond = [...new Set(rights)].filter((right) => !caller.rights.has(right));
  if (beyond.length === 0) return;
  throw new Fault('FORBIDDEN', `This credential cannot give rights that it lacks: ${beyond.join(', ')}.`);
}
