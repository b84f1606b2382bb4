import type { DraftPhase, RejectionCode } from '@attache/client';
import type { Delivery, PlanForm } from '@attache/contracts';

/** A text for each plural category of a language; `other` serves those that are absent. */
export type PluralText = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/**
 * Every text of the parts, in one language. `{name}` and the like are places for values. A whole catalogue, or a part of one, goes to `AttacheProvider`.
 */
export type Strings = {
  /** BCP 47 tag: sizes, plurals, lists and times follow it. */
  locale: string;
  dir: 'ltr' | 'rtl';
  attach: string;
  attachFolder: string;
  takePhoto: string;
  dropHere: string;
  attachedFiles: string;
  message: string;
  placeholder: string;
  send: string;
  sending: string;
  waitForFiles: string;
  failedFiles: string;
  writeSomething: string;
  dismiss: string;
  remove: string;
  cancel: string;
  retry: string;
  ready: string;
  failed: string;
  /** State of an upload that was stopped. */
  stopped: string;
  ofBytes: string;
  phases: Record<DraftPhase, string>;
  announced: Record<'added' | 'ready' | 'removed' | 'stopped' | 'failed', PluralText>;
  notAccepted: PluralText;
  rejections: Record<RejectionCode, string>;
  forms: Record<PlanForm, string>;
  planTitle: string;
  blockedTitle: string;
  /** Beside the button that sends, where the plan says why it is disabled. */
  seeReasons: string;
  /** Texts for codes of errors and failures. The server's own words serve for a code that is absent. */
  reasons: Readonly<Record<string, string>>;
  transcript: string;
  you: string;
  agentWrites: string;
  thought: string;
  toolCall: string;
  toolStates: Record<'called' | 'blocked' | 'completed', string>;
  viewed: string;
  fileRejected: string;
  fileDeleted: string;
  sessionEnded: string;
  unreadable: string;
  empty: string;
  connection: Record<'connecting' | 'reconnecting' | 'failed', string>;
  deliveries: Record<Delivery['status'] | 'unknown', string>;
  waitsFor: Record<NonNullable<Delivery['waitsFor']>, string>;
  cancelDelivery: string;
  retryDelivery: string;
};
